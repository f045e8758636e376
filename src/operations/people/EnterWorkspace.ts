/** Adds a person to a workspace, switches their session to it and writes the audit entry, in one transaction. */
import type { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import type { Sessions } from "../../store/people/Sessions.ts"
import type { AuditTrail } from "../access/AuditTrail.ts"

/** Completes even if the browser disconnects. `joining` adds the person; none means that it is no longer possible. */
export const enterWorkspace =
  (sql: SqlClient.SqlClient, sessions: Sessions, audit: AuditTrail) =>
  <E, R>(person: PersonIdentity, operation: string, joining: Effect.Effect<Option.Option<WorkspaceId>, E, R>) => {
    const { sessionId, userId } = person
    const entered = (workspaceId: WorkspaceId) =>
      Effect.zipRight(
        sessions.switchTo(sessionId, workspaceId),
        audit.record({ workspaceId, principal: { _tag: "User", userId, sessionId }, operation, target: userId })
      )
    return sql.withTransaction(Effect.tap(joining, Option.match({ onNone: () => Effect.void, onSome: entered }))).pipe(
      Effect.catchTag("SqlError", Effect.die),
      Effect.uninterruptible
    )
  }
