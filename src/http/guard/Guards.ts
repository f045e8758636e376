/** Wraps each operation that needs a caller: authentication, idempotency and the audit log. */
import { Context, Deferred, Effect, Fiber, Scope } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { keepingServices } from "../../loops/WithServices.ts"
import { WorkOwner } from "../../loops/WorkPriority.ts"
import { AuditTrail } from "../../operations/access/AuditTrail.ts"
import { Authenticate } from "../../operations/access/Authenticate.ts"
import { CallerLeft } from "../../operations/access/CallerLeft.ts"
import { IdempotentCalls } from "../../operations/access/IdempotentCalls.ts"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import type { Operation } from "../openapi/Operations.ts"
import type { CallHandler, OperationCall } from "../request/OperationCall.ts"
import { audited, auditedTogether } from "./AuditedAction.ts"
import { Authenticated, credentialsOf } from "./Authorization.ts"
import { idempotent, type Surrounding } from "./Idempotency.ts"
import { makeLargeBodies } from "./LargeBodies.ts"
import { admittedPublicly } from "./PublicAdmission.ts"
import { withSuitableHint } from "./SuitableHints.ts"

export type Guards = (operation: Operation) => (handler: CallHandler) => CallHandler

export type GuardNeeds = Authenticate | AuditTrail | BaseUrl | IdempotentCalls | PublicCalls

/** Notifies the operation when its caller leaves, which does not interrupt it. */
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
  const largeBodies = makeLargeBodies()
  // Closes after everything acquired later, such as the server, so work in it can use the server's grace period to finish.
  const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)

  /** Changes finish even if the client disconnects, so no change is half done or lacks its audit entry. */
  const detached = <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.forkIn(change, scope), (fiber) => Effect.flatten(Fiber.await(fiber)))

  const admitted = Effect.fnUntraced(function*(operation: Operation, handler: CallHandler, call: OperationCall) {
    const { params, request } = call
    const known = yield* Authenticated
    const caller = yield* known === null
      ? access.admit(credentialsOf(request, baseUrl), operation)
      : access.permit(known, operation)
    const guarded = { operation, caller, params }
    const suited: CallHandler = (one) => withSuitableHint(access, caller)(handler(one))
    const audit = (operation.oneTransaction ? auditedTogether : audited)(trail, guarded)
    const recorded: Surrounding = (work) => operation.scope === "write" ? detached(audit(work)) : work
    const once = operation.method === "POST"
      ? idempotent(calls, guarded, scope, { call, handler: suited, recorded })
      : recorded(suited(call))
    const work = keepingServices(
      operation.largestBody === null ? once : largeBodies(caller.workspaceId, request, once),
      // From here on, database time is shared between workspaces, not between clients.
      Context.make(Access, caller).pipe(Context.add(WorkOwner, caller.workspaceId))
    )
    return yield* operation.endsWithCaller ? endingWithCaller(work) : work
  })

  const guards: Guards = (operation) => (handler) =>
    operation.scope === "public"
      ? (call) => admittedPublicly(publicCalls, { rate: operation.addressLimit }, call.request, handler(call))
      : (call) => admitted(operation, handler, call)
  return guards
})
