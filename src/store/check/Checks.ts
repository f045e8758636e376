/** The rows of checks: inserted in bulk, kept for 30 days, read newest first. */
import { SqlClient, SqlSchema } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { DateTime, Effect, Option, Record, Schema, Struct } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { Check, Outcome } from "../../../schema/check/Check.ts"
import { CheckId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { shownError } from "../../domain/check/CheckView.ts"
import { idTime } from "../../domain/Id.ts"
import { storable } from "../../domain/Storable.ts"
import { arrayText } from "../postgres/ArrayText.ts"
import { EvidenceUsage } from "./EvidenceUsage.ts"

const CheckRow = Schema.Struct({
  ...Struct.omit(Check.fields, "at", "evidenceOmitted"),
  at: Schema.DateTimeUtcFromDate,
  /** The id of the check that this one repeats, or `overQuota`. */
  omitted: Schema.NullOr(Schema.Union(Schema.Literal("quota"), CheckId))
})

const overQuota = "quota"

const checkFrom = ({ omitted, ...check }: typeof CheckRow.Type): Check => ({
  ...check,
  evidenceOmitted: omitted === null
    ? null
    : omitted === overQuota
    ? { reason: "quota", checkId: null }
    : { reason: "repeats", checkId: omitted }
})

/** A page with evidence holds fewer checks if their evidence takes more than this together, bytes. */
const mostEvidence = 2 * 1024 * 1024

const Stats = Schema.Struct({
  p50: Schema.NullOr(Schema.Number),
  p95: Schema.NullOr(Schema.Number),
  avg: Schema.NullOr(Schema.Number),
  checks: Schema.Int,
  failures: Schema.Int
})

/** The evidence of a check as its row has it. */
interface StoredEvidence {
  readonly text: string | null
  readonly omitted: string | null
}

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
    const usage = yield* EvidenceUsage

    /** What is stored of each check's evidence: all, or why it is left out. Asks for the quotas only if there is any. */
    const evidenceOf = (batch: ReadonlyArray<CountedResult>): Effect.Effect<ReadonlyArray<StoredEvidence>, SqlError> => {
      const texts = batch.map(({ result }) => result.evidence === null ? null : storableJson(result.evidence))
      const pieces = texts.flatMap((text, index) => {
        const workspaceId = batch[index]?.result.workspaceId
        return text === null || workspaceId === undefined ? [] : [{ workspaceId, bytes: Buffer.byteLength(text), index }]
      })
      const admitted = pieces.length === 0 ? Effect.succeed([]) : usage.admit(pieces)
      return Effect.map(admitted, (fits) => {
        const refused = new Set(pieces.flatMap(({ index }, order) => fits[order] === true ? [] : [index]))
        return batch.map(({ result }, index): StoredEvidence =>
          refused.has(index)
            ? { text: null, omitted: overQuota }
            : { text: texts[index] ?? null, omitted: result.repeats ?? null }
        )
      })
    }

    const insertRows = (batch: ReadonlyArray<CountedResult>, evidence: ReadonlyArray<StoredEvidence>) => {
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
        evidence: evidence.map(({ text }) => text),
        omitted: evidence.map(({ omitted }) => omitted)
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
      }
      const texts = Record.map<keyof typeof columns, (typeof columns)[keyof typeof columns], string>(columns, arrayText)
      return Effect.asVoid(sql`
        insert into checks (id, at, workspace_id, monitor_id, region, outcome, counted, status_code, latency_ms, error, cause,
          timings, evidence, evidence_omitted)
        select * from unnest(${texts.id}::text[], ${texts.at}::timestamptz[], ${texts.workspace}::text[],
          ${texts.monitor}::text[], ${texts.region}::text[], ${texts.outcome}::text[], ${texts.counted}::boolean[],
          ${texts.status}::int[], ${texts.latency}::float8[], ${texts.error}::text[], ${texts.cause}::text[],
          ${texts.timings}::json[], ${texts.evidence}::json[], ${texts.omitted}::text[])
        on conflict do nothing`)
    }

    /** Inserts a batch in one statement. Existing checks are not changed. */
    const insert = (batch: ReadonlyArray<CountedResult>): Effect.Effect<void, SqlError> =>
      Effect.flatMap(evidenceOf(batch), (evidence) => insertRows(batch, evidence))

    const columns = sql.literal(`
      id, monitor_id as "monitorId", at, region, outcome, counted, status_code as "statusCode", latency_ms as "latencyMs",
      error, cause, timings, evidence is not null as "hasEvidence", evidence_omitted as omitted`)

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
        select * from (
          select page.*, sum(octets) over (order by at desc, id) - octets as above from (
            select ${columns}, case when ${evidence} then evidence end as evidence,
              case when ${evidence} then coalesce(octet_length(evidence::text), 0) else 0 end as octets
            from checks
            where workspace_id = ${workspaceId} and monitor_id = ${monitorId}
              and at < coalesce(${before}::timestamptz, 'infinity')
              and (${outcome}::text is null or outcome = ${outcome}::text)
            order by at desc limit ${limit}
          ) page
        ) measured
        where above < ${mostEvidence} order by at desc, id`
    })

    const find = SqlSchema.findOne({
      Request: Schema.Struct({ workspaceId: WorkspaceId, id: Schema.String, at: Schema.DateFromSelf }),
      Result: CheckRow,
      execute: ({ at, id, workspaceId }) =>
        sql`
        select ${columns}, evidence from checks
        where workspace_id = ${workspaceId} and id = ${id} and at = ${at}
          and exists (select 1 from monitors m where m.workspace_id = ${workspaceId} and m.id = checks.monitor_id)`
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
      /** Newest first; with evidence, possibly fewer than `limit` although others follow. */
      list: (
        workspaceId: WorkspaceId,
        monitorId: MonitorId,
        options: { outcome: Outcome | null; before: DateTime.Utc | null; limit: number; evidence: boolean }
      ): Effect.Effect<ReadonlyArray<Check>> =>
        Effect.orDie(Effect.map(
          list({
            workspaceId,
            monitorId,
            ...options,
            before: options.before === null ? null : DateTime.toDateUtc(options.before)
          }),
          (rows) => rows.map(checkFrom)
        )),
      /** One check with its evidence. The id contains the time, which selects the partition. */
      find: (workspaceId: WorkspaceId, id: CheckId): Effect.Effect<Option.Option<Check>> => {
        const at = idTime(id)
        return at === null
          ? Effect.succeed(Option.none())
          : Effect.orDie(
            Effect.map(find({ workspaceId, id, at: DateTime.toDateUtc(DateTime.unsafeMake(at)) }), Option.map(checkFrom))
          )
      },
      /** Latencies (ms) of the counted checks that were not down, and the number of counted checks, since `since`. */
      stats: (workspaceId: WorkspaceId, monitorId: MonitorId, since: DateTime.Utc) =>
        Effect.orDie(stats({ workspaceId, monitorId, since: DateTime.toDateUtc(since) }))
    }
  }),
  dependencies: [EvidenceUsage.Default]
}) {}
