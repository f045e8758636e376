/** A gate for deployments opens on good checks after the deployment, and never on a check that failed. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Layer } from "effect"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorInput, MonitorState } from "../../../schema/monitor/Monitor.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { MonitorNews, WaitForMonitor } from "../../../src/operations/monitor/WaitForMonitor.ts"
import { Checks } from "../../../src/store/check/Checks.ts"
import { MonitorMarks } from "../../../src/store/monitor/MonitorMarks.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const failure = { outcome: "down", error: "Expected status 200-299, got 503", cause: "status", statusCode: 503 } as const
/** The monitors that each read was about. */
const reads: Array<ReadonlySet<string>> = []
const CountedMarks = Layer.effect(
  MonitorMarks,
  Effect.map(MonitorMarks, ({ read }) =>
    MonitorMarks.make({
      read: (places) => Effect.zipRight(Effect.sync(() => reads.push(new Set(places.map(({ id }) => id)))), read(places))
    }))
).pipe(Layer.provide(MonitorMarks.Default))
const services = WaitForMonitor.DefaultWithoutDependencies.pipe(
  Layer.provide(MonitorNews.DefaultWithoutDependencies),
  Layer.provide(CountedMarks),
  Layer.provideMerge(TestRunner)
)
/** Long enough for a call that ends by a check, which the test then reports. */
const long = Duration.seconds(60)
const short = Duration.millis(1)
const eu = RegionId.make("eu")
const us = RegionId.make("us")

const setUp = (input: Partial<MonitorInput> = {}) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into regions (id, first_seen_at, last_beat_at)
      select id, now(), now() from unnest(array['eu', 'us']) as id on conflict do nothing`
    const { id: workspaceId } = yield* newWorkspace
    const manage = yield* ManageMonitors
    const created = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", regions: [eu, us], ...input })
    const row = yield* monitorRow(workspaceId, created.id)
    const bus = yield* Bus
    const checks = yield* Checks
    const waiting = yield* WaitForMonitor
    const slotAt = (slot: number) => DateTime.unsafeMake(resultOf(row, slot).at)
    const stored = Effect.map(checks.list(workspaceId, row.id, { outcome: null, before: null, limit: 60 }), (all) =>
      all.map(({ id }) => id))
    /** Reports a check and waits until it is stored. */
    const report = (slot: number, region: RegionId, more: Partial<CheckResult> = {}) =>
      Effect.gen(function*() {
        const result = resultOf(row, slot, { region, ...more })
        yield* bus.report([result])
        yield* until(stored, (ids) =>
          ids.includes(result.checkId))
        return result
      })
    const wait = (slot: number, timeout: Duration.Duration, state: MonitorState = "up") =>
      waiting.wait(workspaceId, row.id, { state, checkedAfter: slotAt(slot), timeout })
    return { report, wait, waiting, workspaceId, row }
  })

layer(services, { excludeTestServices: true, timeout: "120 seconds" })("a wait with checkedAfter", (it) => {
  it.scoped("does not open on a failed check that left the state up, and names it", () =>
    Effect.gen(function*() {
      const { report, wait } = yield* setUp()
      yield* report(1, eu)
      yield* report(1, us)
      const failed = yield* report(2, eu, failure)
      yield* report(2, us, failure)
      const answer = yield* wait(2, short)
      expect(answer).toMatchObject({ reached: false, state: "up", missingRegions: [] })
      expect(answer.reason).toContain(`The check ${failed.checkId} in eu was down: 503 Service Unavailable.`)
      expect(answer.failed.map(({ id }) => id)).toContain(failed.checkId)
    }))

  it.scoped("opens when every region has a good check, and still tells of failures before it", () =>
    Effect.gen(function*() {
      const { report, wait } = yield* setUp()
      yield* report(1, eu)
      yield* report(1, us)
      const failed = yield* report(2, eu, failure)
      yield* report(2, us)
      const waiting = yield* Effect.fork(wait(2, long))
      const good = yield* report(3, eu)
      yield* report(3, us)
      const answer = yield* Fiber.join(waiting)
      expect(answer).toMatchObject({ reached: true, state: "up", reason: null })
      expect(answer.checks.map(({ id }) => id)).toContain(good.checkId)
      expect(answer.failed.map(({ id }) => id)).toEqual([failed.checkId])
    }))

  it.scoped("waits for a region that is silent, and names it", () =>
    Effect.gen(function*() {
      const { report, wait } = yield* setUp()
      yield* report(1, eu)
      yield* report(1, us)
      yield* report(2, eu)
      expect(yield* wait(2, short)).toMatchObject({ reached: false, state: "up", missingRegions: ["us"] })
    }))

  it.scoped("ignores checks that count for nothing, and opens neither for a slow one nor for a paused monitor", () =>
    Effect.gen(function*() {
      const { report, row, wait, workspaceId } = yield* setUp({ regions: [eu] })
      yield* report(1, eu)
      yield* report(2, eu, { trusted: false })
      expect(yield* wait(2, short)).toMatchObject({ reached: false, missingRegions: ["eu"], checks: [] })
      yield* report(3, eu, { outcome: "degraded", cause: "slow" })
      expect((yield* wait(2, short)).reason).toContain("was degraded: slow.")
      expect(yield* wait(2, long, "degraded")).toMatchObject({ reached: true, state: "degraded" })
      yield* Effect.flatMap(ManageMonitors, (manage) => manage.update(workspaceId, row.id, { paused: true }))
      expect((yield* wait(2, short)).reason).toContain("The monitor is paused.")
    }))

  it.scoped("opens for down once a vote has decided it", () =>
    Effect.gen(function*() {
      const { report, wait } = yield* setUp({ failureThreshold: 1 })
      yield* report(1, eu)
      yield* report(1, us)
      const waiting = yield* Effect.fork(wait(2, long, "down"))
      yield* report(2, eu, failure)
      yield* report(2, us, failure)
      expect(yield* Fiber.join(waiting)).toMatchObject({ reached: true, state: "down" })
    }))

  it.scoped("shares one read with all others of the process", () =>
    Effect.gen(function*() {
      const waits = yield* Effect.forEach(Array.from({ length: 10 }), () => setUp({ regions: [eu] }))
      const twenty = waits.flatMap((one) => Array.from({ length: 20 }, () => one))
      const waiting = yield* Effect.forEach(twenty, (one) => Effect.fork(one.wait(2, long)))
      const monitors = waits.map(({ row }) => row.id)
      yield* until(Effect.sync(() => reads), (all) => all.some((read) => monitors.every((id) => read.has(id))))
      yield* Effect.forEach(waits, ({ report }) => report(3, eu), { concurrency: "unbounded" })
      const answers = yield* Fiber.joinAll(waiting)
      expect(answers.filter(({ reached }) => reached)).toHaveLength(200)
    }))

  it.scoped("refuses states that no check leads to", () =>
    Effect.gen(function*() {
      const { wait } = yield* setUp()
      expect(yield* Effect.flip(wait(1, short, "paused"))).toMatchObject({ _tag: "validation_failed" })
    }))
})
