/** What surrounds each operation that needs a caller: it is let in once, a repeat is not run again, a change is written down. */
import { type HttpRouter, HttpServerRespondable } from "@effect/platform"
import { Effect, Fiber, Scope } from "effect"
import type { AuditLog } from "../../store/access/AuditLog.ts"
import { IdempotentRequests } from "../../store/access/IdempotentRequests.ts"
import type { Operation } from "../openapi/Operations.ts"
import { Admission } from "./Admission.ts"
import { audited } from "./AuditedAction.ts"
import { type AccessNeeds, admitted } from "./Authorization.ts"
import { idempotent } from "./Idempotency.ts"

type Handler = HttpRouter.Route<unknown, HttpRouter.HttpRouter.DefaultServices>["handler"]

/** Surrounds the handler of an operation. */
export type Guards = (operation: Operation) => (handler: Handler) => Handler

export type GuardNeeds = AccessNeeds | AuditLog | IdempotentRequests

/** A repeat is answered only after its caller was let in as for the first time: an answer may hold a secret. */
export const makeGuards = Effect.gen(function*() {
  const context = yield* Effect.context<AccessNeeds | AuditLog>()
  const requests = yield* IdempotentRequests
  // Closed after whatever is acquired from here on, such as the server: what runs in it has the server's grace to end.
  const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)

  /** A change that was begun goes on when its client leaves: done and not written down is what nobody can look into. */
  const toTheEnd = <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.flatMap(Effect.forkIn(change, scope), Fiber.join)

  const guards: Guards = (operation) => (handler) => {
    const needed = operation.scope
    if (needed === "public") return handler
    const response = Effect.flatMap(handler, HttpServerRespondable.toResponse)
    return Effect.gen(function*() {
      const caller = yield* Effect.provide(admitted(needed), context)
      const written: typeof response = needed === "write"
        ? toTheEnd(Effect.provide(audited(operation, caller)(response), context))
        : response
      const once = operation.method === "POST" ? idempotent(requests, operation, caller, scope)(written) : written
      return yield* Effect.provideService(once, Admission, caller)
    })
  }
  return guards
})

/** Of a process that serves no operations. */
export const unguarded: Guards = () => (handler) => handler
