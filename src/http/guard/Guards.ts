/** What surrounds each operation that needs a caller: admit the caller once, run a repeat once, record a change. */
import { type HttpRouter, HttpServerRequest, HttpServerRespondable } from "@effect/platform"
import { Effect, Fiber, Scope } from "effect"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { AuditTrail } from "../../operations/access/AuditTrail.ts"
import { Authenticate } from "../../operations/access/Authenticate.ts"
import { IdempotentCalls } from "../../operations/access/IdempotentCalls.ts"
import type { Operation } from "../openapi/Operations.ts"
import { Admission } from "./Admission.ts"
import { audited } from "./AuditedAction.ts"
import { credentialsOf } from "./Authorization.ts"
import { idempotent } from "./Idempotency.ts"

type Handler = HttpRouter.Route<unknown, HttpRouter.HttpRouter.DefaultServices>["handler"]

/** Surrounds the handler of an operation. */
export type Guards = (operation: Operation) => (handler: Handler) => Handler

export type GuardNeeds = Authenticate | AuditTrail | BaseUrl | IdempotentCalls

/** A repeat is answered only after its caller was admitted like the first time: an answer may hold a secret. */
export const makeGuards = Effect.gen(function*() {
  const access = yield* Authenticate
  const trail = yield* AuditTrail
  const calls = yield* IdempotentCalls
  const baseUrl = yield* BaseUrl
  // Closed after whatever is acquired from here on, such as the server: what runs in it has the server's grace to end.
  const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)

  /** A change that has begun completes when its client leaves: half a change with no record could not be looked into. */
  const toTheEnd = <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.flatMap(Effect.forkIn(change, scope), Fiber.join)

  const guards: Guards = (operation) => (handler) => {
    const { scope: needed } = operation
    if (needed === "public") return handler
    const response = Effect.flatMap(handler, HttpServerRespondable.toResponse)
    return Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const caller = yield* access.admit(credentialsOf(request, baseUrl), operation)
      const recorded = needed === "write" ? toTheEnd(audited(trail, operation, caller)(response)) : response
      const once = operation.method === "POST" ? idempotent(calls, operation, caller, scope)(recorded) : recorded
      return yield* Effect.provideService(once, Admission, caller)
    })
  }
  return guards
})

/** Of a process that serves no operations. */
export const unguarded: Guards = () => (handler) => handler
