/** The contract of a bus, run against every implementation. */
import { expect, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Ref, Scope, Stream, SubscriptionRef } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { metricValue } from "../support/measure/MetricValue.ts"
import { makeBeat } from "../support/probe/Beats.ts"
import {
  assigned,
  assignment,
  type BusService,
  elsewhere,
  gone,
  main,
  monitor,
  partOf,
  reader,
  record,
  request,
  result,
  type Share,
  takenIn,
  until,
  untilBoth,
  work
} from "./Fixtures.ts"

/** Two processes on one bus, and a third one whose probe is in the region elsewhere. */
export type Processes = Effect.Effect<
  { readonly one: BusService; readonly two: BusService; readonly other: BusService },
  never,
  Scope.Scope
>

const monitors = Array.from({ length: 40 }, (_, n) => monitor(n))
const has = (share: Share | null, count: number) => share?.size === count
const ids = (results: ReadonlyArray<CheckResult>) => new Set(results.map(({ checkId, monitorId }) => `${monitorId} ${checkId}`))

const untilMetric = (value: Effect.Effect<number | null>, isSo: (value: number | null) => boolean) =>
  Effect.repeat(Effect.delay(value, "20 millis"), { until: isSo })

export const busContract = (processes: Processes) => {
  it.scopedLive("delivers a monitor's results in the order they were reported", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const seen = yield* record(two)
      for (let n = 0; n < 30; n++) yield* one.report(monitors.map((id) => result(id, n)))
      const all = yield* until(seen, (results) => ids(results).size === monitors.length * 30)
      for (const id of monitors) {
        const slots = all.filter(({ monitorId }) => monitorId === id).map(({ slot }) => slot)
        expect(slots).toEqual([...slots].sort((a, b) => a - b))
      }
    }))

  it.scopedLive("tells the workers of a region their parts of it, which are all of it together", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const [first, second] = [yield* partOf(one), yield* partOf(two)]
      yield* untilBoth(first, second, (part, other) => part !== null && other !== null && part + other === 1)
    }))

  it.scopedLive("carries the trace of a result whose check is traced", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const seen = yield* record(two)
      const traced = { ...result(monitor(1), 1), traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }
      yield* one.report([traced, result(monitor(2), 1)])
      const all = yield* until(seen, (results) => ids(results).size === 2)
      expect(all.find(({ monitorId }) => monitorId === traced.monitorId)).toEqual(traced)
      expect(all.some((one) => one.monitorId !== traced.monitorId && "traceparent" in one)).toBe(false)
    }))

  it.scopedLive("says how far its reader is behind, until the results are stored", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const stored = yield* Deferred.make<void>()
      const taken = yield* SubscriptionRef.make(0)
      yield* two.results(
        (batch) => Effect.as(SubscriptionRef.update(taken, (count) => count + batch.length), takenIn(Deferred.await(stored))),
        reader()
      )
      for (let n = 0; n < 3; n++) yield* one.report(monitors.map((id) => result(id, n)))
      yield* until(taken, (count) => count === monitors.length * 3)
      const lag = metricValue("belltower_results_lag")
      const age = metricValue("belltower_oldest_result_age_seconds")
      yield* untilMetric(lag, (results) => results === monitors.length * 3)
      const now = yield* Clock.currentTimeMillis
      yield* untilMetric(age, (seconds) => Math.abs(Number(seconds) * 1000 - (now - result(monitor(0), 0).at)) < 60_000)
      yield* Deferred.succeed(stored, undefined)
      yield* untilMetric(lag, (results) => results === 0)
      expect(yield* age).toBe(0)
    }))

  it.scopedLive("redelivers results until their handler succeeds", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const attempts = yield* Ref.make(0)
      const done = yield* Deferred.make<ReadonlyArray<CheckResult>>()
      yield* two.results((batch) =>
        Ref.updateAndGet(attempts, (n) => n + 1).pipe(
          Effect.flatMap((n) => (n < 3 ? Effect.die("the database is away") : Deferred.succeed(done, batch))),
          Effect.as(takenIn())
        ), reader())
      yield* one.report([result(monitor(1), 1)])
      expect(yield* Deferred.await(done)).toEqual([result(monitor(1), 1)])
    }))

  it.scopedLive("passes results that a consumer left unfinished to the next consumer", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const scope = yield* Scope.make()
      const begun = yield* Deferred.make<void>()
      yield* one.results(() => Effect.as(Deferred.succeed(begun, undefined), takenIn(Effect.never)), reader()).pipe(
        Scope.extend(scope)
      )
      yield* two.report([result(monitor(1), 1), result(monitor(1), 2)])
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      const seen = yield* record(two)
      const all = yield* until(seen, (results) => ids(results).size === 2)
      expect(all.map(({ slot }) => slot)).toEqual([1, 2])
    }))

  it.scopedLive("assigns every monitor to exactly one worker while workers join and leave", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      yield* one.assign(monitors.map((id) => assigned(id)))
      const first = yield* work(one)
      yield* until(first, (share) => has(share, monitors.length))

      const scope = yield* Scope.make()
      const second = yield* work(two).pipe(Scope.extend(scope))
      const shared = (a: Share | null, b: Share | null) =>
        a !== null && b !== null && monitors.every((id) => a.has(id) !== b.has(id))
      yield* untilBoth(first, second, shared)

      yield* Scope.close(scope, Exit.void)
      yield* until(first, (share) => has(share, monitors.length))
      // Changes still arrive: the share is not just a memory.
      yield* two.assign(monitors.map((id) => assigned(id, [main], 2)))
      yield* until(first, (share) => [...(share ?? new Map())].every(([, { revision }]) => revision === 2))
    }))

  it.scopedLive("lets a worker take over from one that has left", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const scope = yield* Scope.make()
      const first = yield* work(one).pipe(Scope.extend(scope))
      yield* until(first, (share) => share !== null)
      const second = yield* work(two)
      yield* until(second, (share) => share !== null)
      yield* one.assign(monitors.map((id) => assigned(id)))
      yield* untilBoth(first, second, (a, b) => (a?.size ?? 0) + (b?.size ?? 0) === monitors.length)
      yield* Scope.close(scope, Exit.void)
      yield* until(second, (share) => has(share, monitors.length))
    }))

  it.scopedLive("withdraws a monitor from its workers when it is deleted or leaves a region", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const share = yield* work(two)
      yield* one.assign([assigned(monitor(1)), assigned(monitor(2)), assigned(monitor(3)), assigned(monitor(4), [elsewhere])])
      yield* until(share, (now) => has(now, 3))
      yield* one.assign([gone(monitor(1)), assigned(monitor(2), [elsewhere])])
      const left = yield* until(share, (now) => has(now, 1))
      expect([...(left?.keys() ?? [])]).toEqual([monitor(3)])
    }))

  it.scopedLive("does not announce deleted monitors to a worker that joins later", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      yield* one.assign(monitors.map((id) => assigned(id)))
      yield* one.assign(monitors.slice(1).map(gone))
      const share = yield* work(two)
      // The last assignment arrives last, so everything before it has arrived too.
      const late = monitors.map((_, n) => monitor(1_000 + n))
      yield* one.assign(late.map((id) => assigned(id)))
      const held = yield* until(share, (now) => late.every((id) => now?.has(id)))
      expect([...(held?.keys() ?? [])].sort()).toEqual([monitor(0), ...late])
    }))

  it.scopedLive("lets a worker of the region answer a request", () =>
    Effect.gen(function*() {
      const { one, other, two } = yield* processes
      yield* two.answer(main, ({ monitorId }) => Effect.succeed(result(monitorId, 7)))
      yield* other.answer(elsewhere, ({ monitorId }) => Effect.succeed({ ...result(monitorId, 8), region: elsewhere }))
      const answers = yield* Effect.all([
        Effect.flatMap(request(main, 20_000), one.ask),
        Effect.flatMap(request(elsewhere, 20_000), one.ask)
      ], { concurrency: 2 })
      expect(answers).toEqual([
        result(assignment(monitor(1)).monitorId, 7),
        { ...result(monitor(1), 8), region: elsewhere }
      ])
    }))

  it.scopedLive("ends the check in the worker when its asker leaves", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const begun = yield* SubscriptionRef.make(0)
      const ended = yield* SubscriptionRef.make(0)
      const add = (ref: typeof begun) => SubscriptionRef.update(ref, (count) => count + 1)
      yield* two.answer(main, () => Effect.zipRight(add(begun), Effect.never).pipe(Effect.onInterrupt(() => add(ended))))
      const asking = yield* Effect.fork(Effect.flatMap(request(main, 60_000), one.ask))
      yield* until(begun, (count) => count === 1)
      yield* Fiber.interrupt(asking)
      expect(yield* until(ended, (count) => count > 0)).toBe(1)
    }))

  it.scopedLive("fails a request with NoProbe when no worker answers in time", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      yield* two.answer(main, () => Effect.never)
      const slow = yield* Effect.flip(Effect.flatMap(request(main, 1_500), one.ask))
      const nobody = yield* Effect.flip(Effect.flatMap(request(elsewhere, 1_000), one.ask))
      expect([slow._tag, nobody._tag]).toEqual(["NoProbe", "NoProbe"])
    }))

  it.scopedLive("delivers every worker's beats to every listener", () =>
    Effect.gen(function*() {
      const { one, two } = yield* processes
      const heard = yield* SubscriptionRef.make<ReadonlySet<string>>(new Set())
      for (const [name, bus] of [["one", one], ["two", two]] as const) {
        yield* bus.beats.pipe(
          Stream.runForEach(({ workerId }) =>
            SubscriptionRef.update(heard, (before) => new Set([...before, `${name} hears ${workerId}`]))
          ),
          Effect.forkScoped
        )
      }
      const beat = (bus: BusService, workerId: string) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) => bus.beat(makeBeat({ region: main, workerId, at })))
      const beating = yield* Effect.zip(beat(one, "a"), beat(two, "b")).pipe(
        Effect.delay("50 millis"),
        Effect.forever,
        Effect.forkScoped
      )
      yield* until(heard, (set) => set.size === 4)
      yield* Fiber.interrupt(beating)
    }))

  it.scopedLive("answers a ping while it works", () =>
    Effect.gen(function*() {
      const { one } = yield* processes
      yield* one.ping
    }))
}
