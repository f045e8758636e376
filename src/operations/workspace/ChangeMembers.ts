/** Runs a membership change while holding the workspace row lock, so concurrent changes cannot remove the last owner. */
import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Members } from "../../store/workspace/Members.ts"

/** `change` gets the number of owners. */
export const changeMembers =
  (sql: SqlClient.SqlClient, members: Members) =>
  <A, E, R>(workspaceId: WorkspaceId, change: (owners: number) => Effect.Effect<A, E, R>) =>
    sql.withTransaction(Effect.flatMap(members.lock(workspaceId), change)).pipe(Effect.catchTag("SqlError", Effect.die))
