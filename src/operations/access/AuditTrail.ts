/** The audit log of a workspace: who changed what, and from where. */
import { Effect, Option } from "effect"
import type { Principal } from "../../../schema/access/Caller.ts"
import type { AuditId, WorkspaceId } from "../../../schema/Ids.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { listPage } from "../../domain/tools/ListPage.ts"
import { orLog } from "../../loops/OrLog.ts"
import { type AuditDraft, type AuditFilter, AuditLog } from "../../store/access/AuditLog.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { CallOrigin, surfaceOf } from "./CallOrigin.ts"

/** A change, or another event worth recording, such as a sign-in. */
interface AuditedAction {
  readonly workspaceId: WorkspaceId
  readonly principal: Principal
  /** The operation's id, or a name such as `sign_in` for an event that is not an operation. */
  readonly operation: string
  readonly target: string | null
}

const draftOf = ({ operation, principal, target }: AuditedAction): Effect.Effect<AuditDraft> =>
  Effect.flatMap(CallOrigin, ({ ip }) => Effect.map(surfaceOf(principal), (via) => ({ principal, operation, target, via, ip })))

type AuditQuery = Omit<AuditFilter, "workspaceId">

/** Any other string would select the first page again, and a client would page forever. */
const invalidCursor = validationFailure([{
  path: "before",
  message: "Expected the id of an audit entry, such as the value of next"
}])

const isAuditId = (id: AuditId) => id.startsWith("aud_") && idTime(id) !== null

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
      const entry = `Storing the audit entry of ${operation}`
      // A change succeeds even if its entry cannot be written.
      const begun = yield* orLog(entry, log.begin(workspaceId, draft))
      const settled = (target: string | null) =>
        begun === null ? log.append(workspaceId, { ...draft, target }) : log.settle(begun, workspaceId, target)
      return {
        /** The change happened; `target` is the id of the changed or created resource. */
        settle: (target: string | null) => Effect.asVoid(orLog(entry, settled(target))),
        /** The change was refused, so nothing happened. */
        drop: begun === null ? Effect.void : Effect.asVoid(orLog(entry, log.forget(begun, workspaceId)))
      }
    })

    /** Newest first: up to `limit` entries, and the `before` of the next page; null on the last page. */
    const list = Effect.fn("AuditTrail.list")(function*(workspaceId: WorkspaceId, query: AuditQuery) {
      const { before, limit } = query
      if (before !== null && !isAuditId(before)) return yield* invalidCursor
      return listPage(yield* log.list({ ...query, workspaceId, limit: limit + 1 }), limit)
    })

    return { record, together, begin, list }
  })
}) {}
