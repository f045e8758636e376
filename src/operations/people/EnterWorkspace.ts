/** Adds a person to a workspace, switches their session to it and records it, as one transaction. */
import type { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import type { Sessions } from "../../store/people/Sessions.ts"
import type { AuditTrail } from "../access/AuditTrail.ts"

/** It completes even when the browser leaves. `joining` adds the person, or is none where it no longer can. */
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
