/** Records who changed what, and from where, in the audit log of the workspace. */
import { Effect } from "effect"
import type { Principal } from "../../../schema/access/Caller.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { type AuditDraft, AuditLog } from "../../store/access/AuditLog.ts"
import { CallOrigin } from "./CallOrigin.ts"

/** A change, or another event worth recording, such as a sign-in. */
interface AuditedAction {
  readonly workspaceId: WorkspaceId
  readonly principal: Principal
  /** The operation's id, or a name such as `sign_in` for what is no operation. */
  readonly operation: string
  /** The id of what was changed or created. */
  readonly target: string | null
}

/** The entry of a change that is about to run. Until it is settled or dropped, its outcome reads `unknown`. */
interface OpenEntry {
  /** The change happened; `target` is what it changed or created. */
  readonly settle: (target: string | null) => Effect.Effect<void>
  /** The change was refused, so nothing happened. */
  readonly drop: Effect.Effect<void>
}

const draftOf = ({ operation, principal, target }: AuditedAction): Effect.Effect<AuditDraft> =>
  Effect.map(CallOrigin, ({ ip, surface }) => {
    const via = principal._tag === "User" && surface === "api" ? "dashboard" : surface
    return { principal, operation, target, via, ip }
  })

/** The change counts even when its entry cannot be written; the process logs the failure. */
const quietly = <A>(operation: string, writing: Effect.Effect<A>): Effect.Effect<A | null> =>
  Effect.catchAllCause(
    writing,
    (cause) => Effect.as(Effect.logError(`${operation} could not be written to the audit log`, cause), null)
  )

export class AuditTrail extends Effect.Service<AuditTrail>()("belltower/AuditTrail", {
  effect: Effect.gen(function*() {
    const log = yield* AuditLog

    /** Adds an entry in the transaction of the change, so that neither exists without the other. */
    const record = Effect.fn("AuditTrail.record")(function*(action: AuditedAction) {
      yield* log.append(action.workspaceId, yield* draftOf(action))
    })

    /** Writes an entry before its change runs. It never fails. */
    const begin = Effect.fnUntraced(function*(action: AuditedAction) {
      const { operation, workspaceId } = action
      const draft = yield* draftOf(action)
      const begun = yield* quietly(operation, log.begin(workspaceId, draft))
      const settled = (target: string | null) =>
        begun === null ? log.append(workspaceId, { ...draft, target }) : log.settle(begun, workspaceId, target)
      const entry: OpenEntry = {
        settle: (target) => Effect.asVoid(quietly(operation, settled(target))),
        drop: begun === null ? Effect.void : Effect.asVoid(quietly(operation, log.forget(begun, workspaceId)))
      }
      return entry
    })

    return { record, begin }
  })
}) {}
