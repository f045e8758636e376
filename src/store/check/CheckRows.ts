/** The rows of the newest checks: inserted in bulk, and read until they are part of a block. */
import { SqlClient, type Statement } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { DateTime, Effect, Option, Record } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import type { CheckId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { shownError } from "../../domain/check/history/CheckView.ts"
import type { StoredCheck } from "../../domain/check/history/StoredCheck.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { arrayText } from "../postgres/ArrayText.ts"
import { isUniqueViolation } from "../postgres/PostgresErrors.ts"
import { readRows } from "../postgres/Read.ts"
import type { CheckFilter } from "./CheckBlocks.ts"
import { EvidenceUsage } from "./EvidenceUsage.ts"

const overQuota = "quota"

interface StoredEvidence {
  readonly text: string | null
  readonly omitted: string | null
}

/** A result, and whether its monitor's actor counted it. */
export interface CountedResult {
  readonly result: CheckResult
  readonly counted: boolean
}

export interface FoundCheck {
  readonly check: StoredCheck
  readonly monitorId: MonitorId
}

/** Removes characters that PostgreSQL cannot store, so that a checked page cannot make its row fail. */
const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => typeof inner === "string" ? storable(inner) : inner)

export class CheckRows extends Effect.Service<CheckRows>()("belltower/CheckRows", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const usage = yield* EvidenceUsage

    /** The evidence to store for each check: all, or why it is left out. Asks for the quotas only if there is any. */
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

    const insertRows = (
      batch: ReadonlyArray<CountedResult>,
      evidence: ReadonlyArray<StoredEvidence>,
      onConflict: Statement.Fragment
    ) => {
      const results = batch.map(({ result }) => result)
      const columns = {
        id: results.map(({ checkId }) => checkId),
        at: results.map(({ at }) => DateTime.formatIso(DateTime.unsafeMake(at))),
        workspace: results.map(({ workspaceId }) => workspaceId),
        monitor: results.map(({ monitorId }) => monitorId),
        region: results.map(({ region }) => region),
        outcome: results.map(({ outcome }) => outcome),
        counted: batch.map(({ counted }) => counted),
        status: results.map(({ statusCode }) => statusCode),
        latency: results.map(({ latencyMs }) => latencyMs),
        error: results.map(({ error }) => error === null ? null : shownError(error)),
        cause: results.map(({ cause }) => cause),
        timings: results.map(({ timings }) => timings === null ? null : JSON.stringify(timings)),
        evidence: evidence.map(({ text }) => text),
        omitted: evidence.map(({ omitted }) => omitted)
      }
      const texts = Record.map<keyof typeof columns, (typeof columns)[keyof typeof columns], string>(columns, arrayText)
      return Effect.asVoid(sql`
        insert into checks (id, at, workspace_id, monitor_id, region, outcome, counted, status_code, latency_ms, error, cause,
          timings, evidence, evidence_omitted)
        select * from unnest(${texts.id}::text[], ${texts.at}::timestamptz[], ${texts.workspace}::text[],
          ${texts.monitor}::text[], ${texts.region}::text[], ${texts.outcome}::text[], ${texts.counted}::boolean[],
          ${texts.status}::int[], ${texts.latency}::float8[], ${texts.error}::text[], ${texts.cause}::text[],
          ${texts.timings}::json[], ${texts.evidence}::json[], ${texts.omitted}::text[])
        ${onConflict}`)
    }

    const ignoring = sql`on conflict do nothing`

    /** Inserts a batch in one statement. Existing checks are not changed. */
    const insert = (batch: ReadonlyArray<CountedResult>): Effect.Effect<void, SqlError> =>
      Effect.flatMap(evidenceOf(batch), (evidence) => insertRows(batch, evidence, ignoring))

    /**
     * Does the same for results that rarely come twice: PostgreSQL logs each row a second time for `on conflict`, so the statement
     * has it only once a check was found to exist. Not for a transaction, which would have failed by then.
     */
    const append = (batch: ReadonlyArray<CountedResult>): Effect.Effect<void, SqlError> =>
      Effect.flatMap(evidenceOf(batch), (evidence) =>
        insertRows(batch, evidence, sql``).pipe(
          Effect.catchIf(isUniqueViolation, () => insertRows(batch, evidence, ignoring))
        ))

    const columns = sql.literal(`
      id, (extract(epoch from at) * 1000)::float8 as at, region, outcome, counted, status_code as "statusCode",
      latency_ms as "latencyMs", error, cause, timings, evidence is not null as "hasEvidence", evidence_omitted as omitted`)

    return {
      insert,
      append,
      /** The newest first; of the same time, the id that was made last. By the index on (monitor_id, at) of each partition. */
      readNewest: (workspaceId: WorkspaceId, monitorId: MonitorId, { before, limit, outcome, since = null }: CheckFilter) =>
        readRows(sql<StoredCheck>`/* one plan */
          select ${columns} from checks
          where workspace_id = ${workspaceId} and monitor_id = ${monitorId}
            and at < coalesce(to_timestamp(${before}::float8 / 1000), 'infinity')
            and at >= coalesce(to_timestamp(${since}::float8 / 1000), '-infinity')
            and (${outcome}::text is null or outcome = ${outcome}::text)
          order by at desc, id desc limit ${limit}`),
      /** The checks of a period, ms since 1970, the end excluded. By the index on (monitor_id, at) of each partition. */
      between: (workspaceId: WorkspaceId, monitorId: MonitorId, from: number, to: number) =>
        Effect.orDie(sql<StoredCheck>`
          select ${columns} from checks
          where workspace_id = ${workspaceId} and monitor_id = ${monitorId}
            and at >= to_timestamp(${from}::float8 / 1000) and at < to_timestamp(${to}::float8 / 1000)`),
      /** The id contains the time, which selects the partition. */
      find: (workspaceId: WorkspaceId, id: CheckId): Effect.Effect<Option.Option<FoundCheck>> => {
        const at = idTime(id)
        return at === null ? Effect.succeedNone : Effect.orDie(Effect.map(
          sql<StoredCheck & { readonly monitorId: MonitorId }>`
            select ${columns}, monitor_id as "monitorId" from checks
            where workspace_id = ${workspaceId} and id = ${id} and at = ${new Date(at)}`,
          ([row]) => Option.map(Option.fromNullable(row), ({ monitorId, ...check }) => ({ check, monitorId }))
        ))
      }
    }
  }),
  dependencies: [EvidenceUsage.Default]
}) {}
