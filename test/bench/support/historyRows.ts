/** Fills a database with the history of many monitors, as compaction writes it, without passing each check through the program. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { makeCheckId, monitorTag } from "../../../src/domain/check/history/CheckKey.ts"
import { dayMs, encodeRollup, mergeRollups, rollupOf, startOf } from "../../../src/domain/check/history/CheckRollup.ts"
import type { StoredCheck } from "../../../src/domain/check/history/StoredCheck.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { CheckBlocks } from "../../../src/store/check/CheckBlocks.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { Workspaces } from "../../../src/store/workspace/Workspaces.ts"

export const hour = 3_600_000
const main = RegionId.make("main")

/** Days that half hours are kept. */
const rollupDays = 31

/**
 * Monitors of each template: the checks of a day are made for one monitor in so many, and copied within the database. Of many
 * monitors 20 differ.
 */
const copiesOf = (count: number) => Math.max(125, Math.ceil(count / 20))

/** Days that are written at a time. */
const width = 3

export interface Known {
  readonly id: MonitorId
  readonly workspaceId: WorkspaceId
}

const tenths = (least: number, spread: number): number => Math.floor((least + Math.random() * spread) * 10) / 10

/** A check as an http probe reports it: 1 in 200 fails. */
export const checkAt = (monitor: Known, time: number): StoredCheck => {
  const at = time + Math.floor(Math.random() * 30)
  const bad = Math.random() < 0.005
  const latencyMs = tenths(60, 90)
  return {
    id: makeCheckId(monitor.id, at, randomBytes(10)),
    at,
    region: main,
    outcome: bad ? "down" : "up",
    counted: true,
    statusCode: bad ? 503 : 200,
    latencyMs,
    error: bad ? "Expected status 200-299, got 503 Service Unavailable" : null,
    cause: bad ? "status" : null,
    timings: {
      dnsMs: tenths(1, 4),
      connectMs: tenths(8, 6),
      tlsMs: tenths(15, 10),
      firstByteMs: tenths(50, 40),
      totalMs: latencyMs
    },
    hasEvidence: false,
    omitted: null
  }
}

export const makeMonitors = Effect.fn("makeMonitors")(function*(count: number) {
  const store = yield* Monitors
  const { workspace } = yield* Effect.flatMap(
    Workspaces,
    (workspaces) => workspaces.create({ name: "Bench", agentName: "bench", plan: "self_hosted" })
  )
  const settings = yield* settleNew({ name: "Bench", url: "https://bench.test/" }, { channelIds: [], regions: [main] })
  const now = yield* DateTime.now
  const known = Array.from({ length: count }, (): Known => ({
    id: MonitorId.make(makeId("mon", now.epochMillis, randomBytes(10))),
    workspaceId: workspace.id
  }))
  yield* Effect.forEach(known, (one) => store.insert(one.workspaceId, one.id, settings), { discard: true })
  return known
})

/**
 * Some hours of some monitors: blocks of an hour each, as the hourly compaction makes them, and the rollups of the day. They are
 * made for the first monitor. A block does not contain its monitor's tag, so its bytes are those of any monitor's block.
 */
const seedDay = (
  own: ReadonlyArray<Known>,
  day: number,
  hours: number,
  kept: { readonly checks: boolean; readonly halfHours: boolean }
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const blocks = yield* CheckBlocks
    const [template, ...others] = own
    if (template === undefined) return
    const { id: monitorId, workspaceId } = template
    const checks = Array.from({ length: hours * 60 }, (_, minute) => checkAt(template, day + minute * 60_000))
    if (kept.checks) {
      yield* blocks.insert(Array.from(
        { length: hours },
        (_, index) => ({ workspaceId, monitorId, checks: checks.slice(index * 60, index * 60 + 60) })
      ))
    }
    yield* sql`
      insert into check_blocks (first_at, last_at, tag, checks, outcomes, form, id_bytes, workspace_id, monitor_id, data)
      select first_at, last_at, other.tag, checks, outcomes, form, id_bytes, workspace_id, other.id, data
      from check_blocks b, unnest(${others.map(({ id }) => id)}::text[], ${
      others.map(({ id }) => monitorTag(id))
    }::int[]) other (id, tag)
      where b.tag = ${monitorTag(monitorId)} and b.monitor_id = ${monitorId}
        and first_at >= ${new Date(day)} and first_at < ${new Date(day + dayMs)}`
    const rollup = rollupOf(checks)
    const rows = [
      { table: "check_rollups", data: rollup, isKept: kept.halfHours },
      { table: "check_days", data: mergeRollups([rollup], dayMs), isKept: true }
    ]
    yield* Effect.forEach(rows.filter(({ isKept }) => isKept), ({ data, table }) =>
      sql`
        insert into ${sql(table)} (monitor_id, day, workspace_id, data)
        select id, ${new Date(day)}, ${workspaceId}, decode(${Buffer.from(encodeRollup(data, day)).toString("hex")}, 'hex')
        from unnest(${own.map(({ id }) => id)}::text[]) one (id)`, { discard: true })
  })

/** The partitions of past days skip the log while they are filled; reading them costs the same. */
const skipLog = Effect.fn("skipLog")(function*(before: number) {
  const sql = yield* SqlClient.SqlClient
  const names = yield* sql<{ readonly name: string }>`
    select i.inhrelid::regclass::text as name from pg_inherits i
    where i.inhparent in ('check_blocks'::regclass, 'check_rollups'::regclass)`
  const limit = new Date(before).toISOString().slice(0, 10).replaceAll("-", "")
  const past = names.filter(({ name }) => /_\d{8}$/.test(name) && name.slice(-8) < limit)
  yield* Effect.forEach(past, ({ name }) => sql`alter table ${sql(name)} set unlogged`, { discard: true })
})

/**
 * Fills so many days, and the hours of today until `end`; days more than `checkDays` back have rollups only. Returns the number of
 * checks of which anything is kept.
 */
export const seedHistory = Effect.fn("seedHistory")(function*(
  known: ReadonlyArray<Known>,
  days: number,
  end: number,
  checkDays = days
) {
  const sql = yield* SqlClient.SqlClient
  const today = startOf(end, dayMs)
  yield* skipLog(today)
  const copies = copiesOf(known.length)
  const groups = Array.from(
    { length: Math.ceil(known.length / copies) },
    (_, index) => known.slice(index * copies, (index + 1) * copies)
  )
  const hoursToday = (end - today) / hour
  yield* Effect.forEach(
    Array.from({ length: days + 1 }, (_, back) => back),
    (back) =>
      sql.withTransaction(
        Effect.forEach(
          groups,
          (own) =>
            seedDay(own, today - back * dayMs, back === 0 ? hoursToday : 24, {
              checks: back <= checkDays,
              halfHours: back < rollupDays
            }),
          { discard: true }
        )
      ),
    {
      concurrency: width,
      discard: true
    }
  )
  // As autovacuum does in the background, from smaller samples.
  yield* sql.withTransaction(
    Effect.all([sql`set local statement_timeout = 0`, sql`set local default_statistics_target = 10`, sql`analyze`])
  )
  return known.length * (days * 24 + hoursToday) * 60
})
