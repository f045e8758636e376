/** The rows of checks: inserted in bulk, kept for 30 days, read newest first. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Record, Schema, Struct } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { Check, Outcome } from "../../../schema/check/Check.ts"
import type { CheckId } from "../../../schema/Ids.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { shownError } from "../../domain/check/CheckView.ts"
import { idTime } from "../../domain/Id.ts"
import { storable } from "../../domain/Storable.ts"
import { arrayText } from "../postgres/ArrayText.ts"

const CheckRow = Schema.Struct({ ...Struct.omit(Check.fields, "at"), at: Schema.DateTimeUtcFromDate })

const Stats = Schema.Struct({
  p50: Schema.NullOr(Schema.Number),
  p95: Schema.NullOr(Schema.Number),
  avg: Schema.NullOr(Schema.Number),
  checks: Schema.Int,
  failures: Schema.Int
})

/** A result, and whether its monitor's actor counted it. */
export interface CountedResult {
  readonly result: CheckResult
  readonly counted: boolean
}

/** Removes characters that PostgreSQL cannot store, so that a checked page cannot make its row fail. */
const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => typeof inner === "string" ? storable(inner) : inner)

export class Checks extends Effect.Service<Checks>()("belltower/Checks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** Inserts a batch in one statement. Existing checks are not changed. */
    const insert = (batch: ReadonlyArray<CountedResult>) => {
      const columns = {
        id: new Array<string>(),
        at: new Array<string>(),
        workspace: new Array<string>(),
        monitor: new Array<string>(),
        region: new Array<string>(),
        outcome: new Array<string>(),
        counted: new Array<boolean>(),
        status: new Array<number | null>(),
        latency: new Array<number | null>(),
        error: new Array<string | null>(),
        cause: new Array<string | null>(),
        timings: new Array<string | null>(),
        evidence: new Array<string | null>()
      }
      for (const { counted, result } of batch) {
        columns.id.push(result.checkId)
        columns.at.push(DateTime.formatIso(DateTime.unsafeMake(result.at)))
        columns.workspace.push(result.workspaceId)
        columns.monitor.push(result.monitorId)
        columns.region.push(result.region)
        columns.outcome.push(result.outcome)
        columns.counted.push(counted)
        columns.status.push(result.statusCode)
        columns.latency.push(result.latencyMs)
        columns.error.push(result.error === null ? null : shownError(result.error))
        columns.cause.push(result.cause)
        columns.timings.push(result.timings === null ? null : JSON.stringify(result.timings))
        columns.evidence.push(result.evidence === null ? null : storableJson(result.evidence))
      }
      const texts = Record.map<keyof typeof columns, (typeof columns)[keyof typeof columns], string>(columns, arrayText)
      return Effect.asVoid(sql`
        insert into checks (id, at, workspace_id, monitor_id, region, outcome, counted, status_code, latency_ms, error, cause,
          timings, evidence)
        select * from unnest(${texts.id}::text[], ${texts.at}::timestamptz[], ${texts.workspace}::text[],
          ${texts.monitor}::text[], ${texts.region}::text[], ${texts.outcome}::text[], ${texts.counted}::boolean[],
          ${texts.status}::int[], ${texts.latency}::float8[], ${texts.error}::text[], ${texts.cause}::text[],
          ${texts.timings}::json[], ${texts.evidence}::json[])
        on conflict do nothing`)
    }

    const columns = sql.literal(`
      id, monitor_id as "monitorId", at, region, outcome, counted, status_code as "statusCode", latency_ms as "latencyMs",
      error, cause, timings, evidence is not null as "hasEvidence"`)

    const list = SqlSchema.findAll({
      Request: Schema.Struct({
        workspaceId: WorkspaceId,
        monitorId: MonitorId,
        outcome: Schema.NullOr(Outcome),
        before: Schema.NullOr(Schema.DateFromSelf),
        limit: Schema.Int,
        evidence: Schema.Boolean
      }),
      Result: CheckRow,
      execute: ({ before, evidence, limit, monitorId, outcome, workspaceId }) =>
        sql`
        select ${columns}, case when ${evidence} then evidence end as evidence from checks
        where workspace_id = ${workspaceId} and monitor_id = ${monitorId}
          and at < coalesce(${before}::timestamptz, 'infinity')
          and (${outcome}::text is null or outcome = ${outcome}::text)
        order by at desc limit ${limit}`
    })

    const find = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: Schema.String, at: Schema.DateFromSelf }),
      Result: CheckRow,
      execute: ({ at, id, workspaceId }) =>
        sql`select ${columns}, evidence from checks where workspace_id = ${workspaceId} and id = ${id} and at = ${at}`
    })

    const stats = SqlSchema.single({
      Request: Schema.Struct({ workspaceId: WorkspaceId, monitorId: MonitorId, since: Schema.DateFromSelf }),
      Result: Stats,
      execute: ({ monitorId, since, workspaceId }) =>
        sql`
        select
          round((percentile_cont(0.5) within group (order by latency_ms) filter (where outcome <> 'down'))::numeric, 1)::float8 as p50,
          round((percentile_cont(0.95) within group (order by latency_ms) filter (where outcome <> 'down'))::numeric, 1)::float8 as p95,
          round((avg(latency_ms) filter (where outcome <> 'down'))::numeric, 1)::float8 as avg,
          count(*)::int as checks,
          (count(*) filter (where outcome = 'down'))::int as failures
        from checks
        where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and counted and at >= ${since}`
    })

    return {
      insert,
      list: (
        workspaceId: WorkspaceId,
        monitorId: MonitorId,
        options: { outcome: Outcome | null; before: DateTime.Utc | null; limit: number; evidence: boolean }
      ): Effect.Effect<ReadonlyArray<Check>> =>
        Effect.orDie(list({
          workspaceId,
          monitorId,
          ...options,
          before: options.before === null ? null : DateTime.toDateUtc(options.before)
        })),
      /** One check with its evidence. The id contains the time, which selects the partition. */
      find: (workspaceId: WorkspaceId, id: CheckId): Effect.Effect<Option.Option<Check>> => {
        const at = idTime(id)
        return at === null
          ? Effect.succeed(Option.none())
          : Effect.orDie(find({ workspaceId, id, at: DateTime.toDateUtc(DateTime.unsafeMake(at)) }))
      },
      /** Latencies (ms) of the counted checks that were not down, and the number of counted checks, since `since`. */
      stats: (workspaceId: WorkspaceId, monitorId: MonitorId, since: DateTime.Utc) =>
        Effect.orDie(stats({ workspaceId, monitorId, since: DateTime.toDateUtc(since) }))
    }
  })
}) {}
