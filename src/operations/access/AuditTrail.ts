/** Records who changed what, and from where, in the workspace's audit log. */
import { Effect, Option } from "effect"
import type { Principal } from "../../../schema/access/Caller.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { type AuditDraft, AuditLog } from "../../store/access/AuditLog.ts"
import { makeTransaction } from "../Transaction.ts"
import { CallOrigin, surfaceOf } from "./CallOrigin.ts"

/** A change, or another event worth recording, such as a sign-in. */
interface AuditedAction {
  readonly workspaceId: WorkspaceId
  readonly principal: Principal
  /** The operation's id, or a name such as `sign_in` for an event that is not an operation. */
  readonly operation: string
  /** The id of the changed or created resource. */
  readonly target: string | null
}

const draftOf = ({ operation, principal, target }: AuditedAction): Effect.Effect<AuditDraft> =>
  Effect.zipWith(CallOrigin, surfaceOf(principal), ({ ip }, via) => ({ principal, operation, target, via, ip }))

/** A change succeeds even if its audit entry cannot be written; the failure is logged. */
const quietly = <A>(operation: string, writing: Effect.Effect<A>): Effect.Effect<A | null> =>
  Effect.catchAllCause(
    writing,
    (cause) => Effect.as(Effect.logError(`Audit entry for ${operation} failed`, cause), null)
  )

export class AuditTrail extends Effect.Service<AuditTrail>()("belltower/AuditTrail", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const log = yield* AuditLog

    /** Adds an entry in the transaction of the change, so both commit or neither does. */
    const record = (action: AuditedAction): Effect.Effect<void> =>
      Effect.flatMap(draftOf(action), (draft) => log.append(action.workspaceId, draft))

    /** Runs a change and adds its entry in one transaction. `targetOf` is none for a result that says that nothing happened. */
    const together = <A, E, R>(
      action: Omit<AuditedAction, "target">,
      change: Effect.Effect<A, E, R>,
      targetOf: (result: A) => Option.Option<AuditedAction["target"]>
    ): Effect.Effect<A, E, R> =>
      transaction(
        Effect.tap(change, (result) =>
          Option.match(targetOf(result), {
            onNone: () => Effect.void,
            onSome: (target) => record({ ...action, target })
          }))
      )

    /** Writes the entry of a change before it runs; its outcome is `unknown` until it is settled or dropped. Never fails. */
    const begin = Effect.fnUntraced(function*(action: AuditedAction) {
      const { operation, workspaceId } = action
      const draft = yield* draftOf(action)
      const begun = yield* quietly(operation, log.begin(workspaceId, draft))
      const settled = (target: string | null) =>
        begun === null ? log.append(workspaceId, { ...draft, target }) : log.settle(begun, workspaceId, target)
      return {
        /** The change happened; `target` is the id of the changed or created resource. */
        settle: (target: string | null) => Effect.asVoid(quietly(operation, settled(target))),
        /** The change was refused, so nothing happened. */
        drop: begun === null ? Effect.void : Effect.asVoid(quietly(operation, log.forget(begun, workspaceId)))
      }
    })

    return { record, together, begin }
  })
}) {}
