/** The alerting state of each open incident: the next step of its escalation, and the reminders that were sent. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { type IncidentId, PolicyId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { EscalationStep } from "../../domain/oncall/Escalation.ts"
import { findOne } from "../postgres/Queries.ts"

const Row = Schema.Struct({
  policyId: Schema.NullOr(PolicyId),
  nextLevel: Schema.NullOr(Schema.Int),
  nextRound: Schema.NullOr(Schema.Int),
  nextAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  unacknowledgedSince: Schema.DateTimeUtcFromDate,
  remindedMinutes: Schema.Int
})

export interface Alerting {
  /** The policy that the incident follows; null if none applied when it opened. */
  readonly policyId: PolicyId | null
  /** Null when the escalation has ended. */
  readonly next: EscalationStep | null
  readonly unacknowledgedSince: DateTime.Utc
  /** The last mark of `reminderMinutes` that was settled. */
  readonly remindedMinutes: number
}

export interface AlertedRow {
  readonly workspaceId: WorkspaceId
  readonly id: IncidentId
  readonly alerting: Alerting
}

const alertingOf = ({ nextAt, nextLevel, nextRound, ...row }: typeof Row.Type): Alerting => ({
  policyId: row.policyId,
  next: nextAt === null || nextLevel === null || nextRound === null ? null : { level: nextLevel, round: nextRound, at: nextAt },
  unacknowledgedSince: row.unacknowledgedSince,
  remindedMinutes: row.remindedMinutes
})

export class IncidentAlerting extends Effect.Service<IncidentAlerting>()("belltower/IncidentAlerting", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const find = findOne(Row, (workspaceId: WorkspaceId, id: IncidentId) =>
      sql`
        select policy_id as "policyId", next_level as "nextLevel", next_round as "nextRound", next_at as "nextAt",
               unacknowledged_since as "unacknowledgedSince", reminded_minutes as "remindedMinutes"
        from incident_alerting where workspace_id = ${workspaceId} and incident_id = ${id}`)

    /** Writes rows in the caller's transaction, which holds the incidents' locks. */
    const saveAll = Effect.fn("IncidentAlerting.saveAll")(
      function*(rows: ReadonlyArray<AlertedRow>) {
        if (rows.length === 0) return
        const steps = rows.map(({ alerting: { next } }) => next)
        yield* sql`
          insert into incident_alerting (incident_id, workspace_id, policy_id, next_level, next_round, next_at,
                                         unacknowledged_since, reminded_minutes)
          select * from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ workspaceId }) => workspaceId)}::text[],
                               ${rows.map(({ alerting }) => alerting.policyId)}::text[],
                               ${steps.map((next) => next?.level ?? null)}::int[], ${
          steps.map((next) => next?.round ?? null)
        }::int[],
                               ${steps.map((next) => (next === null ? null : DateTime.toDateUtc(next.at)))}::timestamptz[],
                               ${rows.map(({ alerting }) => DateTime.toDateUtc(alerting.unacknowledgedSince))}::timestamptz[],
                               ${rows.map(({ alerting }) => alerting.remindedMinutes)}::int[])
          on conflict (incident_id) do update
          set policy_id = excluded.policy_id, next_level = excluded.next_level, next_round = excluded.next_round,
            next_at = excluded.next_at, unacknowledged_since = excluded.unacknowledged_since,
            reminded_minutes = excluded.reminded_minutes
          where incident_alerting.workspace_id = excluded.workspace_id`
      },
      Effect.orDie
    )

    return {
      saveAll,
      save: (workspaceId: WorkspaceId, id: IncidentId, alerting: Alerting) => saveAll([{ workspaceId, id, alerting }]),
      find: (workspaceId: WorkspaceId, id: IncidentId) => Effect.map(find(workspaceId, id), Option.map(alertingOf))
    }
  })
}) {}
