/**
 * Turns the rows of checks into blocks. A step takes rows of a partition, adds them to blocks, rollups and evidence, and deletes
 * them, all in one transaction: a process that dies leaves both or neither, and rows that come late are taken by the next round.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Cause, DateTime, Effect } from "effect"
import type { CheckId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { dayMs, rollupOf, startOf } from "../../domain/check/history/CheckRollup.ts"
import type { StoredCheck } from "../../domain/check/history/StoredCheck.ts"
import { gather } from "../../domain/tools/Gather.ts"
import { reasonOf } from "../../loops/Outage.ts"
import { type Block, CheckBlocks, type NewBlock } from "./CheckBlocks.ts"
import { CheckEvidence } from "./CheckEvidence.ts"
import { CheckRollups, type RollupPart } from "./CheckRollups.ts"
import { CompactionRounds, type HeldRange } from "./CompactionRounds.ts"

/** Rows of one step, and bytes of their evidence: the most for a turn of the event loop. */
const mostRows = 1500
const mostEvidence = 512 * 1024

/** A block with fewer checks than this is rebuilt with those that follow it. */
const small = 48
/** The most checks of a block: a read of one check has to decode them all. */
const largest = 512

interface TakenRow extends StoredCheck {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly evidence: string | null
  readonly exists: boolean
}

export interface Compacted {
  readonly rows: number
  /** Checks that could not be encoded. */
  readonly broken: ReadonlyArray<BrokenRow>
  /** The next step begins with this monitor; null when the table has no more rows of the range. */
  readonly next: string | null
}

interface BrokenRow {
  readonly id: CheckId
  readonly reason: string
}

export interface RowTable {
  readonly name: string
  /** Whether it still takes new checks. */
  readonly attached: boolean
  /** The time that it covers, ms since 1970; null for the partition of all other times. */
  readonly start: number | null
  readonly end: number | null
}

const checkOf = (
  { evidence: _, exists: _exists, monitorId: _monitorId, workspaceId: _workspaceId, ...check }: TakenRow
): StoredCheck => check

/** New checks of one monitor and day, and the blocks that they belong into. */
interface Share extends Omit<RollupPart, "rollup"> {
  readonly fresh: ReadonlyArray<StoredCheck>
  readonly merged: ReadonlyArray<Block>
}

/** Splits rows by monitor and day, and leaves out those that a block holds already: results may come twice. */
const sharesOf = (rows: ReadonlyArray<TakenRow>, near: ReadonlyArray<Block>): ReadonlyArray<Share> =>
  [...gather(rows.map((row) => [`${row.monitorId} ${startOf(row.at, dayMs)}`, row] as const)).values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const { monitorId, workspaceId } = first
    const day = startOf(first.at, dayMs)
    const from = own.reduce((least, { at }) => Math.min(least, at), Infinity)
    const to = own.reduce((most, { at }) => Math.max(most, at), -Infinity)
    const merged = near.filter((block) =>
      block.monitorId === monitorId && startOf(block.firstAt, dayMs) === day &&
      (block.checks.length < small || (block.firstAt <= to && block.lastAt >= from))
    )
    const known = new Set(merged.flatMap(({ checks }) => checks.map(({ id }) => id)))
    return [{ workspaceId, monitorId, day, merged, fresh: own.filter(({ id }) => !known.has(id)).map(checkOf) }]
  })

/** The blocks of a share, in order of time. */
const blocksOf = ({ fresh, merged, monitorId, workspaceId }: Share): ReadonlyArray<NewBlock> => {
  const all = [...merged.flatMap(({ checks }) => checks), ...fresh].sort((one, other) => one.at - other.at)
  const parts = Math.ceil(all.length / largest)
  const size = Math.ceil(all.length / Math.max(1, parts))
  return Array.from(
    { length: parts },
    (_, part) => ({ workspaceId, monitorId, checks: all.slice(part * size, (part + 1) * size) })
  )
}

const hourOrDay = /^checks_(\d{4})(\d\d)(\d\d)(\d\d)?$/

/** The time of a partition from its name. */
const timeOf = (name: string): Pick<RowTable, "start" | "end"> => {
  const [, year, month, day, hour] = hourOrDay.exec(name) ?? []
  if (year === undefined) return { start: null, end: null }
  const start = DateTime.toEpochMillis(
    DateTime.unsafeMake({ year: Number(year), month: Number(month), day: Number(day), hours: Number(hour ?? 0) })
  )
  return { start, end: start + (hour === undefined ? dayMs : 3_600_000) }
}

export class CompactChecks extends Effect.Service<CompactChecks>()("belltower/CompactChecks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const blocks = yield* CheckBlocks
    const rollups = yield* CheckRollups
    const evidence = yield* CheckEvidence
    const rounds = yield* CompactionRounds

    /** Deletes rows before `horizon` (ms; null for all) in order of their monitors, from `from` on, and returns them. */
    const take = (table: string, from: string, before: string | null, horizon: number | null) =>
      sql<TakenRow>`
        with page as materialized (
          select ctid as tuple, monitor_id, at,
            sum(coalesce(octet_length(evidence::text), 0)) over (order by monitor_id, at, id rows unbounded preceding)
              - coalesce(octet_length(evidence::text), 0) as before
          from (
            select ctid, monitor_id, at, id, evidence from ${sql(table)}
            where monitor_id >= ${from} and (${before}::text is null or monitor_id < ${before}) and at < coalesce(to_timestamp(${horizon}::float8 / 1000), 'infinity')
            order by monitor_id, at limit ${mostRows}
          ) found
        ), gone as (
          delete from ${sql(table)} where ctid = any(array(select tuple from page where before < ${mostEvidence})) returning *
        )
        select gone.id, (extract(epoch from gone.at) * 1000)::float8 as at, gone.workspace_id as "workspaceId",
          gone.monitor_id as "monitorId", region, outcome, counted, status_code as "statusCode", latency_ms as "latencyMs",
          error, cause, timings, evidence is not null as "hasEvidence", evidence_omitted as omitted, evidence::text as evidence,
          m.id is not null as exists
        from gone left join monitors m on m.id = gone.monitor_id and m.workspace_id = gone.workspace_id
        order by gone.monitor_id, gone.at, gone.id`

    const store = Effect.fnUntraced(function*(rows: ReadonlyArray<TakenRow>) {
      // The checks of a deleted monitor cannot be read any more.
      const kept = rows.filter(({ exists }) => exists)
      const days = gather(kept.map((row) => [startOf(row.at, dayMs), row] as const))
      const near: Array<Block> = []
      for (const [day, own] of days) {
        const from = own.reduce((least, { at }) => Math.min(least, at), Infinity)
        const to = own.reduce((most, { at }) => Math.max(most, at), -Infinity)
        near.push(...(yield* blocks.near([...new Set(own.map(({ monitorId }) => monitorId))], from, to, day, small)))
      }
      const shares = sharesOf(kept, near).filter(({ fresh }) => fresh.length > 0)
      const merged = shares.flatMap((share) => share.merged)
      yield* blocks.remove(
        merged.map(({ sequence }) => sequence),
        merged.reduce((least, { firstAt }) => Math.min(least, firstAt), Infinity)
      )
      yield* blocks.insert(shares.flatMap(blocksOf))
      yield* rollups.add(shares.map(({ fresh, ...share }) => ({ ...share, rollup: rollupOf(fresh) })))
      yield* evidence.keep(
        kept.flatMap(({ at, evidence: text, id, workspaceId }) => text === null ? [] : [{ id, at, workspaceId, text }])
      )
    })

    /** Keeps a check that could not become part of a block as it was. */
    const setAside = (row: TakenRow, reason: string) =>
      sql`
        insert into checks_set_aside (id, at, workspace_id, monitor_id, reason, data)
        values (${row.id}, ${new Date(row.at)}, ${row.workspaceId}, ${row.monitorId},
          ${reason}, ${JSON.stringify(row)}::json)
        on conflict do nothing`

    /** Stores rows, and finds by halves which of them fail: one broken row or block must not stop the others. */
    const storeOrSetAside = (rows: ReadonlyArray<TakenRow>): Effect.Effect<ReadonlyArray<BrokenRow>, SqlError> =>
      // Nested in the step's transaction: a savepoint.
      sql.withTransaction(store(rows)).pipe(
        Effect.as([]),
        Effect.catchAllCause((cause) => {
          if (Cause.isInterrupted(cause)) return Effect.failCause(cause)
          const [first, ...others] = rows
          if (first === undefined) return Effect.succeed([])
          if (others.length > 0) {
            const middle = rows.length >> 1
            return Effect.zipWith(
              storeOrSetAside(rows.slice(0, middle)),
              storeOrSetAside(rows.slice(middle)),
              (some, more) => [...some, ...more]
            )
          }
          const reason = reasonOf(Cause.squash(cause))
          // Fails, and the step with it, if the database is what is broken.
          return Effect.as(setAside(first, reason), [{ id: first.id, reason }])
        })
      )

    /** One step on a range: at most 1,500 rows. Null if another process has taken the range over. */
    const step = Effect.fn("CompactChecks.step")(
      function*(range: HeldRange, table: string, from: string, horizon: number | null) {
        if (!(yield* rounds.hold(range))) return null
        const rows = yield* take(table, from, range.before, horizon)
        const broken = rows.length > 0 ? yield* storeOrSetAside(rows) : []
        const done: Compacted = { rows: rows.length, broken, next: rows.at(-1)?.monitorId ?? null }
        return done
      },
      sql.withTransaction
    )

    /** The tables with rows that end before `horizon` (ms), the newest first, and the partition of all other times. */
    const tables = Effect.map(
      sql<{ readonly name: string; readonly attached: boolean }>`
        select c.relname as name, i.inhrelid is not null as attached
        from pg_class c left join pg_inherits i on i.inhrelid = c.oid
        where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname ~ '^checks_(\\d{8}|\\d{10}|default)$'
        order by c.relname desc`,
      (rows): ReadonlyArray<RowTable> => rows.map((row) => ({ ...row, ...timeOf(row.name) }))
    )

    /** Takes a partition out of the table, so that no row can come any more; fails if others use it. */
    const detach = (name: string) =>
      sql.withTransaction(Effect.zipRight(
        sql`set local lock_timeout = '500ms'`,
        sql`alter table checks detach partition ${sql(name)}`
      ))

    return { step, tables, detach, drop: (name: string) => sql`drop table if exists ${sql(name)}` }
  }),
  dependencies: [CheckBlocks.Default, CheckRollups.Default, CheckEvidence.Default, CompactionRounds.Default]
}) {}
