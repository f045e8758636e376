/** Wraps each operation that needs a caller: authentication, idempotency and the audit log. */
import { HttpRouter, HttpServerRequest, HttpServerRespondable } from "@effect/platform"
import { Context, Deferred, Effect, Fiber, Scope } from "effect"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { WorkOwner } from "../../loops/WorkLane.ts"
import { AuditTrail } from "../../operations/access/AuditTrail.ts"
import { Authenticate } from "../../operations/access/Authenticate.ts"
import { CallerLeft } from "../../operations/access/CallerLeft.ts"
import { IdempotentCalls } from "../../operations/access/IdempotentCalls.ts"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import type { Operation } from "../openapi/Operations.ts"
import { Admission, Authenticated } from "./Admission.ts"
import { audited, auditedTogether } from "./AuditedAction.ts"
import { credentialsOf } from "./Authorization.ts"
import { idempotent, type Surrounding } from "./Idempotency.ts"
import { publicAdmission } from "./PublicAdmission.ts"

type Handler = HttpRouter.Route<unknown, HttpRouter.HttpRouter.DefaultServices>["handler"]

/** Wraps the handler of an operation. */
export type Guards = (operation: Operation) => (handler: Handler) => Handler

export type GuardNeeds = Authenticate | AuditTrail | BaseUrl | IdempotentCalls | PublicCalls

/** Tells the operation when its caller leaves, since that does not interrupt it. */
const endingWithCaller = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Deferred.make<void>(), (left) =>
    work.pipe(
      Effect.provideService(CallerLeft, Deferred.await(left)),
      Effect.onInterrupt(() => Deferred.succeed(left, undefined))
    ))

/** Repeats are authenticated like first calls before they are answered: a stored response may contain a secret. */
export const makeGuards = Effect.gen(function*() {
  const access = yield* Authenticate
  const trail = yield* AuditTrail
  const calls = yield* IdempotentCalls
  const publicCalls = yield* PublicCalls
  const baseUrl = yield* BaseUrl
  // Closes after everything acquired later, such as the server, so work in it can use the server's grace period to finish.
  const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)

  /** Changes finish even if the client disconnects, so no change is half done or lacks its audit entry. */
  const detached = <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.flatMap(Effect.forkIn(change, scope), Fiber.join)

  const guards: Guards = (operation) => (handler) => {
    const { scope: requiredScope } = operation
    if (requiredScope === "public") return publicAdmission(publicCalls, { rate: operation.addressLimit })(handler)
    const response = Effect.flatMap(handler, HttpServerRespondable.toResponse)
    return Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const known = yield* Authenticated
      const caller = yield* known === null
        ? access.admit(credentialsOf(request, baseUrl), operation)
        : access.permit(known, operation)
      const { params } = yield* HttpRouter.RouteContext
      const call = { operation, caller, params }
      const audit = (operation.oneTransaction ? auditedTogether : audited)(trail, call)
      const recorded: Surrounding = (work) => requiredScope === "write" ? detached(audit(work)) : work
      const once = operation.method === "POST"
        ? idempotent(calls, call, scope, response, recorded)
        : recorded(response)
      const admitted = Effect.provide(
        once,
        // From here on it shares the database with other workspaces, not with other clients.
        Context.make(Admission, caller).pipe(Context.add(WorkOwner, caller.workspaceId))
      )
      return yield* operation.endsWithCaller ? endingWithCaller(admitted) : admitted
    })
  }
  return guards
})

/** For processes that serve no operations. */
export const unguarded: Guards = () => (handler) => handler
