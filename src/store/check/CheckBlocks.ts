/** The blocks that hold all but the newest checks: compressed, found by the tag of their monitor and their time. */
import { SqlClient, type Statement } from "@effect/sql"
import { Array as Arr, Effect, Option } from "effect"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { type Outcome, Outcome as Outcomes } from "../../../schema/check/Check.ts"
import type { CheckId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { decodeBlock, encodeBlock, foreignBytes, type IdForm } from "../../domain/check/history/CheckBlock.ts"
import { monitorTag, tagOfCheck } from "../../domain/check/history/CheckKey.ts"
import { dayMs, startOf } from "../../domain/check/history/CheckRollup.ts"
import { newestFirst, type StoredCheck } from "../../domain/check/history/StoredCheck.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { mapRead, readRows } from "../postgres/Read.ts"

interface BlockRow {
  readonly sequence: string
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly firstAt: number
  readonly lastAt: number
  readonly checks: number
  readonly form: IdForm
  readonly idBytes: number
  readonly data: Uint8Array
}

export interface Block extends Omit<BlockRow, "form" | "idBytes" | "data" | "checks"> {
  readonly checks: ReadonlyArray<StoredCheck>
}

/** The checks of one monitor, to be written as one block. */
export interface NewBlock {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly checks: ReadonlyArray<StoredCheck>
}

export interface CheckFilter {
  readonly outcome: Outcome | null
  /** ms since 1970; null for no bound. */
  readonly before: number | null
  /** ms since 1970: nothing older is looked for, so that partitions before it stay untouched. Default: all that is kept. */
  readonly since?: number | null
  readonly limit: number
}

/** Blocks that begin in this time, ms since 1970: whole UTC days. */
interface Days {
  readonly from: number
  readonly to: number
}

/** No clock of a probe is further ahead than this, ms. */
const farAhead = 365 * dayMs

/** Blocks that a list reads at a time: as many as usually hold its checks, and at most this many. */
const mostAhead = 8
/** Checks that a block holds at least, unless it is the last one of its day. */
const usualChecks = 48

const aheadFor = (limit: number): number => Math.min(mostAhead, 1 + Math.ceil(limit / usualChecks))

const bitOf = (outcome: Outcome): number => 1 << Outcomes.literals.indexOf(outcome)

const opened = ({ data, form, idBytes, ...row }: BlockRow): Block => ({
  ...row,
  checks: decodeBlock(
    { form, ids: data.subarray(0, idBytes), columns: inflateRawSync(data.subarray(idBytes)) },
    monitorTag(row.monitorId)
  )
})

const rowOf = ({ checks, monitorId, workspaceId }: NewBlock) => {
  const tag = monitorTag(monitorId)
  const { columns, form, ids } = encodeBlock(checks, tag)
  const times = checks.map(({ at }) => at)
  return {
    firstAt: times.reduce((least, at) => Math.min(least, at), Infinity),
    lastAt: times.reduce((most, at) => Math.max(most, at), -Infinity),
    tag,
    checks: checks.length,
    outcomes: checks.reduce((bits, { outcome }) => bits | bitOf(outcome), 0),
    form,
    idBytes: ids.length,
    workspaceId,
    monitorId,
    data: Buffer.concat([ids, deflateRawSync(columns)]).toString("hex")
  }
}

export class CheckBlocks extends Effect.Service<CheckBlocks>()("belltower/CheckBlocks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const columns = sql.literal(`
      sequence::text as sequence, workspace_id as "workspaceId", monitor_id as "monitorId",
      (extract(epoch from first_at) * 1000)::float8 as "firstAt", (extract(epoch from last_at) * 1000)::float8 as "lastAt",
      checks, form, id_bytes as "idBytes", data`)

    const read = (rest: Statement.Fragment) =>
      Effect.map(sql<BlockRow>`select ${columns} from check_blocks where ${rest}`, Arr.map(opened))

    const insert = (blocks: ReadonlyArray<NewBlock>) =>
      Effect.suspend(() => {
        const rows = blocks.map(rowOf)
        return Effect.asVoid(sql`
          insert into check_blocks (first_at, last_at, tag, checks, outcomes, form, id_bytes, workspace_id, monitor_id, data)
          select to_timestamp(first_ms / 1000), to_timestamp(last_ms / 1000), tag, checks, outcomes, form, id_bytes, workspace_id,
            monitor_id, decode(data, 'hex')
          from unnest(${rows.map((row) => row.firstAt)}::float8[], ${rows.map((row) => row.lastAt)}::float8[],
            ${rows.map((row) => row.tag)}::int[], ${rows.map((row) => row.checks)}::int[],
            ${rows.map((row) => row.outcomes)}::int[], ${rows.map((row) => row.form)}::text[],
            ${rows.map((row) => row.idBytes)}::int[], ${rows.map((row) => row.workspaceId)}::text[],
            ${rows.map((row) => row.monitorId)}::text[], ${rows.map((row) => row.data)}::text[])
            as block (first_ms, last_ms, tag, checks, outcomes, form, id_bytes, workspace_id, monitor_id, data)`)
      })

    const page = (
      workspaceId: WorkspaceId,
      monitorId: MonitorId,
      { before, limit, outcome }: CheckFilter,
      days: Days,
      after: BlockRow | null
    ) =>
      sql<BlockRow>`/* one plan */
        select ${columns} from check_blocks
        where workspace_id = ${workspaceId} and monitor_id = ${monitorId} and tag = ${monitorTag(monitorId)}
          and first_at >= ${new Date(days.from)} and first_at < ${new Date(Math.min(days.to, before ?? days.to))}
          and (last_at, sequence) < (coalesce(to_timestamp(${after?.lastAt ?? null}::float8 / 1000), 'infinity'),
            coalesce(${after?.sequence ?? null}::bigint, 0))
          and outcomes & ${outcome === null ? 7 : bitOf(outcome)} <> 0
        order by last_at desc, sequence desc limit ${aheadFor(limit)}`

    const matching = (row: BlockRow, { before, outcome, since }: CheckFilter): ReadonlyArray<StoredCheck> =>
      opened(row).checks.filter(({ at, outcome: own }) =>
        at < (before ?? Infinity) && at >= (since ?? -Infinity) && (outcome === null || own === outcome)
      )

    /** The newest checks among the blocks of some days. Opens no block that cannot hold one of them. */
    const newestOf = Effect.fnUntraced(
      function*(
        workspaceId: WorkspaceId,
        monitorId: MonitorId,
        filter: CheckFilter,
        days: Days,
        start: ReadonlyArray<BlockRow> | null = null
      ) {
        let found: ReadonlyArray<StoredCheck> = []
        let last: BlockRow | null = null
        while (true) {
          const rows: ReadonlyArray<BlockRow> = last === null && start !== null
            ? start
            : yield* page(workspaceId, monitorId, filter, days, last)
          for (const row of rows) {
            // Blocks come by their last check: what follows is older than this.
            const oldest = found.length < filter.limit ? -Infinity : found.at(-1)?.at ?? -Infinity
            if (row.lastAt < oldest) return found
            found = [...found, ...matching(row, filter)].sort(newestFirst).slice(0, filter.limit)
          }
          last = rows.at(-1) ?? null
          if (rows.length < aheadFor(filter.limit)) return found
        }
      }
    )

    return {
      insert,
      /**
       * The newest checks of a monitor that are in blocks, newest first; the answer reads on, back to `since` (ms) at most. No block
       * spans days, so the last two days are read first: usually they suffice, and the partitions of the others stay untouched.
       */
      readNewest: (workspaceId: WorkspaceId, monitorId: MonitorId, filter: CheckFilter, now: number) => {
        const recent = startOf(Math.min(filter.before ?? now, now), dayMs) - dayMs
        const firstSince = (since: number) => startOf(Math.max(filter.since ?? 0, since), dayMs)
        const days = { from: Math.max(recent, firstSince(0)), to: Math.max(now, recent) + farAhead }
        const goOn = Effect.fnUntraced(function*(start: ReadonlyArray<BlockRow>, since: number) {
          const first = firstSince(since)
          const found = yield* newestOf(workspaceId, monitorId, filter, days, start)
          if (found.length >= filter.limit || first >= recent) return found
          const rest = { ...filter, limit: filter.limit - found.length }
          return [...found, ...(yield* newestOf(workspaceId, monitorId, rest, { from: first, to: recent }))]
        }, Effect.orDie)
        return mapRead(
          readRows(page(workspaceId, monitorId, filter, days, null)),
          (start) => (since: number) => goOn(start, since)
        )
      },
      /** A check and its monitor: in the block of its tag, else in a block of the workspace whose ids carry none. */
      find: Effect.fn("CheckBlocks.find")(function*(workspaceId: WorkspaceId, id: CheckId) {
        const [at, bytes] = [idTime(id), foreignBytes(id)]
        if (at === null || bytes === null) return Option.none()
        const within = sql`
          workspace_id = ${workspaceId} and first_at >= ${new Date(startOf(at, dayMs))} and first_at <= ${new Date(at)}
          and last_at >= ${new Date(at)}`
        const among = (blocks: ReadonlyArray<Block>) =>
          Arr.findFirst(
            blocks.flatMap(({ checks, monitorId }) => checks.map((check) => ({ check, monitorId }))),
            ({ check }) => check.id === id
          )
        const tagged = among(yield* read(sql`${within} and tag = ${tagOfCheck(id)}`))
        if (Option.isSome(tagged)) return tagged
        return among(
          yield* read(sql`
          ${within} and form <> 'tagged'
          and (form = 'texts' or position(decode(${Buffer.from(bytes).toString("hex")}, 'hex') in data) > 0) limit 100`)
        )
      }, Effect.orDie),
      /**
       * The blocks of these monitors that new checks between `from` and `to` (ms) may belong into: those that overlap, and the
       * last one of the day before them if it is `small`.
       */
      near: (monitorIds: ReadonlyArray<MonitorId>, from: number, to: number, day: number, small: number) =>
        read(sql`
          tag = any(${monitorIds.map(monitorTag)}::int[]) and monitor_id = any(${monitorIds}::text[])
          and first_at >= ${new Date(day)} and first_at <= ${new Date(to)}
          and (last_at >= ${new Date(from)} or checks < ${small})`),
      remove: (sequences: ReadonlyArray<string>, from: number) =>
        sequences.length === 0 ? Effect.void : Effect.asVoid(
          sql`delete from check_blocks where sequence = any(${sequences}::bigint[]) and first_at >= ${new Date(from)}`
        ),
      /** All checks of a monitor in blocks between two instants (ms), oldest first; at most `most` blocks. */
      between: (workspaceId: WorkspaceId, monitorId: MonitorId, from: number, to: number, most: number) =>
        Effect.orDie(Effect.map(
          read(sql`
            workspace_id = ${workspaceId} and monitor_id = ${monitorId} and tag = ${monitorTag(monitorId)}
            and first_at >= ${new Date(startOf(from, dayMs))} and first_at < ${new Date(to)} and last_at >= ${new Date(from)}
            order by last_at limit ${most}`),
          (blocks) => blocks.flatMap(({ checks }) => checks).filter(({ at }) => at >= from && at < to)
        ))
    }
  })
}) {}
