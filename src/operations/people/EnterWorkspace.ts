/** Adds a person to a workspace, switches their session to it and writes the audit entry, in one transaction. */
import { Effect, Option } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { AuditTrail } from "../access/AuditTrail.ts"

export const makeEnterWorkspace = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const sessions = yield* Sessions
  const audit = yield* AuditTrail

  /** Completes even if the browser disconnects. `joining` adds the person; none means that it is no longer possible. */
  return <E, R>(
    { sessionId, userId }: PersonIdentity,
    operation: string,
    joining: Effect.Effect<Option.Option<WorkspaceId>, E, R>
  ) => {
    const entered = (workspaceId: WorkspaceId) =>
      Effect.zipRight(
        sessions.switchTo(sessionId, workspaceId),
        audit.record({ workspaceId, principal: { _tag: "User", userId, sessionId }, operation, target: userId })
      )
    const work = Effect.tap(joining, Option.match({ onNone: () => Effect.void, onSome: entered }))
    return Effect.uninterruptible(transaction(work))
  }
})
