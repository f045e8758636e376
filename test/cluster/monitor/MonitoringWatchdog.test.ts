/** The watch over monitoring: an api reports what is not checked, and a runner publishes lost assignments again. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Stream } from "effect"
import { register } from "prom-client"
import { makeWatchdog } from "../../../cluster/monitor/MonitoringWatchdog.ts"
import * as Runner from "../../../cluster/Runner.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { Bus, busUnavailable } from "../../../src/bus/Bus.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { monitorsFinding, regionsFinding } from "../../../src/domain/monitor/MonitoringVerdict.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { RegionHealth } from "../../../src/services/check/RegionHealth.ts"
import { backlogFinding, makeMonitoringLook, troublesOf } from "../../../src/services/monitor/MonitoringHealth.ts"
import { collectingLog } from "../../support/measure/CollectingLog.ts"
import { makeBeat } from "../../support/probe/Beats.ts"
import { groundOn, monitorRow, newWorkspace, resultOf } from "../../support/program/TestRunner.ts"
import { makeManualClock } from "../../support/time/ManualClock.ts"
import { until } from "../../support/time/Until.ts"

/** Assignments are dropped while this is set. */
let isLossy = false
/** The brokers accept none while this is set. */
let isRefusing = false

const LossyBus = Layer.effect(
  Bus,
  Effect.map(
    Bus,
    (bus) =>
      Bus.of({
        ...bus,
        assign: (changes) =>
          Effect.suspend(() => isRefusing ? busUnavailable("refused") : isLossy ? Effect.void : bus.assign(changes))
      })
  )
).pipe(Layer.provide(LocalBus.layer))

const lines: Array<string> = []
const Ears = collectingLog(lines)

const ThisRunner = Layer.mergeAll(Runner.layer, ManageMonitors.Default).pipe(
  Layer.provideMerge(groundOn(LossyBus)),
  Layer.provideMerge(Ears)
)

const outboxIsEmpty = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => until(sql`select count(*) as left from assignment_outbox`, ([row]) => Number(row?.["left"]) === 0)
)

/** A worker of a region that beats and records its assignments, but checks nothing. */
const worker = Effect.fn("worker")(function*(region: RegionId, monitors: number) {
  const bus = yield* Bus
  const assigned = new Set<string>()
  yield* bus.share(region).pipe(
    Stream.runForEach((signal) =>
      Effect.sync(() => {
        if (signal._tag === "Changed" && signal.change.assignment !== null) assigned.add(signal.change.monitorId)
      })
    ),
    Effect.forkScoped
  )
  const health = yield* RegionHealth
  const isHealthy = Effect.map(
    health.all,
    (all) => all.some(({ healthy, id, workers }) => id === region && healthy && workers === 1)
  )
  const beat = bus.beat(makeBeat({ region, workerId: `${region}-1`, monitors }))
  yield* until(Effect.zipRight(beat, isHealthy), (itIs) => itIs)
  return assigned
})

/** The watchdog of a runner and the look of an api on their own clock, every 30 s. */
const watchIn = Effect.fn("watchIn")(function*(steps?: { readonly most: number; readonly each: number }) {
  const { clock, jump } = makeManualClock(yield* Clock.currentTimeMillis)
  const watchdog = yield* Effect.withClock(makeWatchdog(steps), clock)
  const watchAsApi = yield* Effect.withClock(makeMonitoringLook(), clock)
  const look = Effect.zipRight(watchdog, watchAsApi)
  const watchFor = (minutes: number) =>
    Effect.withClock(Effect.repeatN(Effect.zipRight(jump(30_000), look), minutes * 2 - 1), clock).pipe(
      Effect.map((seen) => ({
        regions: regionsFinding(seen.regions, seen.at),
        monitors: monitorsFinding(seen.monitors, 1000),
        backlog: backlogFinding(seen),
        paceOf: (id: string) => seen.regions.find((one) => one.id === id)?.pace,
        troubles: troublesOf(seen, seen.at)
      }))
    )
  return { watchFor, now: Effect.sync(() => clock.unsafeCurrentTimeMillis()) }
})

const watch = watchIn()

const overdue = (regions: string) =>
  Effect.map(
    Effect.promise(() => register.getSingleMetric("belltower_monitors_overdue")?.get() ?? Promise.resolve(null)),
    (found) => found?.values.find(({ labels }) => labels["regions"] === regions)?.value
  )

const stoppedMetric = (region: string) =>
  Effect.map(
    Effect.promise(() => register.getSingleMetric("belltower_region_checks_stopped")?.get() ?? Promise.resolve(null)),
    (found) => found?.values.find(({ labels }) => labels["region"] === region)?.value
  )

const create = Effect.fn("create")(function*(input: Partial<MonitorInput>) {
  const { id: workspaceId } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const target = input.kind === "heartbeat" ? {} : { url: "https://shop.test/" }
  const { id } = yield* manage.create(workspaceId, { name: "Shop", ...target, ...input })
  return yield* monitorRow(workspaceId, id)
})

/** Each story uses a new region, so that stories do not share monitors. */
const newRegion = (name: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into regions (id, first_seen_at, last_beat_at) values (${name}, now(), now())`
    return RegionId.make(name)
  })

/** Filters out monitors of other stories. */
const alone = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.zipRight(
    sql`delete from monitors`,
    Effect.sync(() => {
      lines.length = 0
    })
  ))

const logged = (words: string) => lines.filter((line) => line.includes(words))

layer(ThisRunner, { excludeTestServices: true })((it) => {
  it.scoped(
    "a lost assignment is logged once and published again, and its recovery is logged",
    () =>
      Effect.gen(function*() {
        yield* alone
        const region = yield* newRegion("lossy")
        isLossy = true
        const row = yield* create({ regions: [region] })
        yield* outboxIsEmpty
        isLossy = false
        const assigned = yield* worker(region, 1)
        const { now, watchFor } = yield* watch
        yield* watchFor(3)
        expect(logged(row.id)).toEqual([])
        expect(assigned.has(row.id)).toBe(false)
        yield* watchFor(3)
        yield* until(Effect.sync(() => assigned.has(row.id)), (itHas) => itHas)
        expect(logged("overdue for a check")).toEqual([
          `Publishing the assignments of 1 monitor again, for example ${row.id}: overdue for a check, ` +
          "although probes of their regions (lossy) are up",
          `1 monitor overdue for a check, for example ${row.id}, although probes of their regions (lossy) are up`
        ])
        expect(yield* overdue("sound")).toBe(1)

        const bus = yield* Bus
        yield* bus.report([resultOf(row, 1, { at: yield* now, region })])
        const sql = yield* SqlClient.SqlClient
        yield* until(
          sql`select 1 from monitor_states where monitor_id = ${row.id} and machine->'lastRoundAt' <> 'null'::jsonb`,
          (found) => found.length === 1
        )
        yield* watchFor(1)
        expect(logged("are checked again")).toHaveLength(1)
        expect(yield* overdue("sound")).toBe(0)
      })
  )

  it.scoped(
    "paused monitors, heartbeats and monitors whose region has no probe are not reported as overdue",
    () =>
      Effect.gen(function*() {
        yield* alone
        const region = yield* newRegion("deserted")
        const sql = yield* SqlClient.SqlClient
        yield* sql`update regions set last_beat_at = now() - interval '1 hour' where id = 'deserted'`
        yield* create({ paused: true })
        yield* create({ kind: "heartbeat", periodSec: 60 })
        const { id } = yield* create({ regions: [region] })
        yield* outboxIsEmpty
        const { watchFor } = yield* watch
        yield* watchFor(20)
        expect(logged("overdue for a check")).toEqual([])
        expect(logged("cannot be checked")).toEqual([
          `1 monitor cannot be checked, for example ${id}: no probe of their regions (deserted) is up`
        ])
        expect([yield* overdue("sound"), yield* overdue("away")]).toEqual([0, 1])
        expect(yield* sql`select 1 from assignment_outbox`).toEqual([])
      })
  )

  it.scoped("a lost assignment is found behind the monitors of a region that is gone, however many those are", () =>
    Effect.gen(function*() {
      yield* alone
      const [gone, sound] = [yield* newRegion("gone"), yield* newRegion("still")]
      const sql = yield* SqlClient.SqlClient
      yield* sql`update regions set last_beat_at = now() - interval '1 hour' where id = 'gone'`
      for (let left = 5; left > 0; left--) yield* create({ regions: [gone] })
      isLossy = true
      const row = yield* create({ regions: [sound] })
      yield* outboxIsEmpty
      isLossy = false
      const assigned = yield* worker(sound, 1)
      const { watchFor } = yield* watchIn({ most: 2, each: 1 })
      yield* watchFor(8)
      yield* until(Effect.sync(() => assigned.has(row.id)), (itHas) => itHas)
      expect([yield* overdue("sound"), yield* overdue("away")]).toEqual([1, 5])
    }))

  it.scoped("a region whose probes beat but deliver nothing is logged", () =>
    Effect.gen(function*() {
      yield* alone
      const [mute, fine] = [yield* newRegion("mute"), yield* newRegion("fine")]
      const row = yield* create({ regions: [mute, fine] })
      yield* worker(mute, 1)
      yield* worker(fine, 1)
      const { now, watchFor } = yield* watch
      const bus = yield* Bus
      const sql = yield* SqlClient.SqlClient
      /** The other region continues checking, at the speed of the watchdog. */
      const check = Effect.flatMap(now, (at) =>
        Effect.zipRight(
          bus.report([resultOf(row, Math.floor(at / 60_000), { at, region: fine })]),
          sql`update regions set last_result_at = ${new Date(at)} where id = 'fine'`
        ))
      const goOn = (minutes: number) => Effect.repeatN(Effect.zipRight(check, watchFor(1)), minutes - 1)
      yield* goOn(3)
      expect(logged("no checks of it are stored")).toEqual([])
      yield* goOn(3)
      expect(logged("no checks of it are stored")).toEqual([
        "The probes of region mute beat, but no checks of it are stored; 1 monitor relies on them"
      ])
    }))

  it.scoped("edits that the brokers do not accept degrade the health of an api, until they do", () =>
    Effect.gen(function*() {
      yield* alone
      const region = yield* newRegion("refused")
      isRefusing = true
      yield* create({ regions: [region] })
      const { watchFor } = yield* watch
      expect((yield* watchFor(1)).backlog.state).toBe("ok")
      expect((yield* watchFor(1)).backlog).toMatchObject({
        state: "degraded",
        reason: "Runners are behind: edits of monitors delayed by 90 s"
      })
      isRefusing = false
      yield* outboxIsEmpty
      expect((yield* watchFor(1)).backlog.state).toBe("ok")
    }))

  it.scoped("checks that are no longer stored fail the health of an api, until they are stored again", () =>
    Effect.gen(function*() {
      yield* alone
      const sql = yield* SqlClient.SqlClient
      // Of other stories.
      yield* sql`update regions set newest_check_at = null, last_result_at = null`
      const region = yield* newRegion("halted")
      const row = yield* create({ regions: [region] })
      yield* worker(region, 1)
      const bus = yield* Bus
      const newest = Effect.map(
        sql<{ readonly at: Date | null }>`select newest_check_at as at from regions where id = 'halted'`,
        ([found]) => found?.at?.getTime() ?? 0
      )
      const check = (slot: number, at: number) =>
        Effect.zipRight(
          bus.report([resultOf(row, slot, { at, region })]),
          until(newest, (stored) => Math.abs(stored - at) < 2)
        )
      const at = yield* Clock.currentTimeMillis
      yield* check(1, at)
      const { watchFor } = yield* watch
      const before = yield* watchFor(1)
      expect([before.regions.state, before.monitors.state]).toEqual(["ok", "ok"])
      expect(before.troubles).toEqual([])
      const stopped = yield* watchFor(5)
      expect([stopped.paceOf(region), stopped.regions.state, stopped.monitors.state]).toEqual(["stopped", "failing", "degraded"])
      expect(stopped.regions.reason).toMatch(
        /^Monitors are due, but no checks are stored of: halted \(newest check 3\d\d s ago\)$/
      )
      expect(yield* stoppedMetric(region)).toBe(1)
      expect(stopped.troubles).toEqual([
        "no checks of region halted are stored",
        "checks of 1 of 1 monitors (1 of 1 tenants) are overdue"
      ])

      // The rest of the story is on the clock of the watch, ahead of that of the runner.
      yield* sql`update regions set last_result_at = now() + interval '6 minutes', newest_check_at = now() + interval '6 minutes' where id = 'halted'`
      yield* sql`update monitor_states set expected_at = now() + interval '10 minutes' where monitor_id = ${row.id}`
      const after = yield* watchFor(1)
      expect([after.paceOf(region), after.regions.state, after.monitors.state]).toEqual(["checking", "ok", "ok"])
      expect(yield* stoppedMetric(region)).toBe(0)
      expect(after.troubles).toEqual([])
      // Results that are stored ten minutes after their checks.
      yield* sql`update regions set last_result_at = now() + interval '8 minutes', newest_check_at = now() - interval '2 minutes'
        where id = 'halted'`
      expect((yield* watchFor(1)).troubles).toEqual(["results of region halted are 600 s late"])
    }))

  it.scoped("a region whose monitors are rare, paused or heartbeats has not stopped", () =>
    Effect.gen(function*() {
      yield* alone
      const [rare, paused, unused] = [yield* newRegion("rare"), yield* newRegion("paused"), yield* newRegion("unused")]
      yield* create({ regions: [rare], intervalSec: 3600 })
      yield* create({ regions: [paused], paused: true })
      yield* create({ kind: "heartbeat", periodSec: 60 })
      for (const region of [rare, paused, unused]) yield* worker(region, 1)
      const { watchFor } = yield* watch
      const seen = yield* watchFor(30)
      expect([rare, paused, unused].map(seen.paceOf)).toEqual(["idle", "idle", "idle"])
      expect([seen.regions.state, seen.monitors.state]).toEqual(["ok", "ok"])
    }))
})
