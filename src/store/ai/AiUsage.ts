/** Counts the AI texts of each workspace in a calendar month, UTC. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { findOne, write } from "../postgres/Queries.ts"

const Month = Schema.Struct({ month: Schema.String })

export class AiUsage extends Effect.Service<AiUsage>()("belltower/AiUsage", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const thisMonth = sql.literal("date_trunc('month', now() at time zone 'UTC')::date")

    // One statement, so two concurrent calls cannot both take the last text.
    const take = findOne(Month, (workspaceId: WorkspaceId, limit: number | null) =>
      sql`
        insert into ai_usage (workspace_id, month, used)
        select id, ${thisMonth}, 1 from workspaces where id = ${workspaceId} and coalesce(${limit}::int, 1) > 0
        on conflict (workspace_id, month) do update set used = ai_usage.used + 1
          where ${limit}::int is null or ai_usage.used < ${limit}::int
        returning month::text as month`)

    const used = findOne(
      Schema.Struct({ used: Schema.Int }),
      (workspaceId: WorkspaceId) => sql`select used from ai_usage where workspace_id = ${workspaceId} and month = ${thisMonth}`
    )

    return {
      /** Counts one text and returns its month; none if the workspace has had `limit` this month. Null is no limit. */
      take: (workspaceId: WorkspaceId, limit: number | null) =>
        Effect.map(take(workspaceId, limit), Option.map(({ month }) => month)),
      /** Takes back one that was not written. */
      giveBack: (workspaceId: WorkspaceId, month: string) =>
        write(sql`
          update ai_usage set used = used - 1
          where workspace_id = ${workspaceId} and month = ${month}::date and used > 0`),
      used: (workspaceId: WorkspaceId) =>
        Effect.map(used(workspaceId), Option.match({ onNone: () => 0, onSome: (row) => row.used }))
    }
  })
}) {}
