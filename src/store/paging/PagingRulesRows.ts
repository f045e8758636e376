/** The rows of personal rules. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import { PagingRules, PagingStep, WorkingHours } from "../../../schema/oncall/Way.ts"
import { findAll, write } from "../postgres/Queries.ts"

const Row = Schema.Struct({
  userId: UserId,
  high: PagingRules.fields.high,
  low: PagingRules.fields.low,
  workingHours: Schema.NullOr(WorkingHours)
})

const encodeSteps = Schema.encodeSync(Schema.parseJson(Schema.Array(PagingStep)))
const encodeHours = Schema.encodeSync(Schema.parseJson(WorkingHours))

export class PagingRulesRows extends Effect.Service<PagingRulesRows>()("belltower/PagingRulesRows", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const ofPeople = findAll(Row, (workspaceId: WorkspaceId, userIds: ReadonlyArray<string>) =>
      sql`
      select user_id as "userId", high, low, working_hours as "workingHours" from paging_rules
      where workspace_id = ${workspaceId} and user_id = any(${userIds}::text[])`)

    const rulesOf = ({ userId: _, ...rules }: typeof Row.Type): PagingRules => ({ ...rules, isDefault: false })

    return {
      /** The rules of those of the people who have set some. */
      ofPeople: (workspaceId: WorkspaceId, userIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<UserId, PagingRules>> =>
        userIds.length === 0
          ? Effect.succeed(new Map())
          : Effect.map(ofPeople(workspaceId, userIds), (rows) => new Map(rows.map((row) => [row.userId, rulesOf(row)]))),
      find: (workspaceId: WorkspaceId, userId: UserId) =>
        Effect.map(ofPeople(workspaceId, [userId]), ([row]) => Option.map(Option.fromNullable(row), rulesOf)),
      save: (workspaceId: WorkspaceId, userId: UserId, { high, low, workingHours }: PagingRules, now: DateTime.Utc) =>
        write(sql`
          insert into paging_rules (workspace_id, user_id, high, low, working_hours, updated_at)
          values (${workspaceId}, ${userId}, ${encodeSteps(high)}::jsonb, ${encodeSteps(low)}::jsonb,
                  ${workingHours === null ? null : encodeHours(workingHours)}::jsonb, ${DateTime.toDateUtc(now)})
          on conflict (workspace_id, user_id) do update
          set high = excluded.high, low = excluded.low, working_hours = excluded.working_hours, updated_at = excluded.updated_at`),
      remove: (workspaceId: WorkspaceId, userId: UserId) =>
        write(sql`delete from paging_rules where workspace_id = ${workspaceId} and user_id = ${userId}`)
    }
  })
}) {}
