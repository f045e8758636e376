/** A worker whose clock is minutes off: it checks in the slots of the servers' time, and says how far its clock is off. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Queue, Stream } from "effect"
import { Bus } from "../../src/bus/Bus.ts"
import { phaseOf, slotAt } from "../../src/domain/check/round/CheckSlot.ts"
import { run } from "../../src/probe/Worker.ts"
import { makeWorkerLife } from "../../src/probe/WorkerLife.ts"
import { assignmentOf, lateInSlot, region } from "../support/probe/Assignments.ts"
import { makeWorkerBus, workerStart as start } from "../support/probe/WorkerBus.ts"
import { probing } from "../support/targets/LocalTargets.ts"
import { makeManualClock } from "../support/time/ManualClock.ts"

const intervalMs = 60_000

/**
 * A worker whose clock is `ahead` ms ahead, once it reads assignments; `pass` lets seconds pass, in each of which the servers tell
 * the time.
 */
const makeWorker = Effect.fnUntraced(function*(ahead: number) {
  const bus = yield* makeWorkerBus
  const times = yield* Queue.unbounded<number>()
  const layer = Layer.effect(Bus, Effect.map(Bus, (plain) => ({ ...plain, times: Stream.fromQueue(times) }))).pipe(
    Layer.provide(bus.layer)
  )
  const machine = makeManualClock(start + ahead)
  const life = makeWorkerLife()
  let now = start
  yield* Effect.fork(
    run({ region, workerId: "w1", canaries: [], life }).pipe(Effect.provide(layer), Effect.withClock(machine.clock))
  )
  const pass = (seconds: number) =>
    Effect.gen(function*() {
      for (let second = 0; second < seconds; second++) {
        yield* Queue.offer(times, now)
        yield* machine.pass(1)
        now += 1000
      }
    })
  yield* bus.own(0)
  const isReading = Effect.map(life.fault, (fault) => !fault?.includes("joined"))
  yield* Effect.repeat(Effect.zipRight(pass(1), isReading), { until: (is) => is })
  return { ...bus, pass, setBy: (ms: number) => machine.jump(ms), now: () => now }
})

describe("a worker with a wrong clock", () => {
  for (const ahead of [307_000, -304_000]) {
    it.scopedLive(`that is ${ahead / 1000} s ahead checks by the servers' time`, () =>
      Effect.gen(function*() {
        const { assign, beats, now, pass, results } = yield* makeWorker(ahead)
        const rest = { changedAt: start - 600_000, intervalSec: 60 }
        const assignment = lateInSlot(() => assignmentOf({ url: "http://10.0.0.1/" }, rest), now())
        yield* assign(assignment)
        yield* pass(200)
        const found = [...yield* Queue.takeAll(results)]
        expect(found.length).toBeGreaterThanOrEqual(3)
        const phase = phaseOf(assignment.monitorId, intervalMs)
        for (const { at, slot, trusted } of found) {
          expect(at).toBeGreaterThanOrEqual(start)
          expect(at).toBeLessThanOrEqual(now())
          expect([slot, trusted]).toEqual([slotAt(at, phase, intervalMs), true])
          // In phase with the other regions.
          expect((at - phase) % intervalMs).toBeLessThan(1500)
        }
        const beat = yield* Queue.take(beats)
        expect(beat.healthy).toBe(true)
        expect(Math.abs((beat.clockSkewMs ?? 0) - ahead)).toBeLessThanOrEqual(1000)
        expect(Math.abs(beat.at - start)).toBeLessThan(10_000)
      }).pipe(Effect.provide(probing({ allow: "" }))))
  }

  it.scopedLive("that is hours ahead stores its results and does not count them, until the clock is set", () =>
    Effect.gen(function*() {
      const ahead = 2 * 3_600_000
      const { assign, beats, pass, results, setBy } = yield* makeWorker(ahead)
      yield* assign(assignmentOf({ url: "http://10.0.0.1/" }, { changedAt: start - 600_000, intervalSec: 60 }))
      yield* pass(70)
      expect((yield* Queue.take(results)).trusted).toBe(false)
      const [beat] = yield* Queue.takeAll(beats)
      expect([beat?.healthy, beat?.reason]).toEqual([false, "The clock of the probe is 2 h ahead. Set it, for example with NTP"])
      yield* setBy(-ahead)
      yield* pass(130)
      expect([...yield* Queue.takeAll(results)].at(-1)?.trusted).toBe(true)
      expect([...yield* Queue.takeAll(beats)].at(-1)).toMatchObject({ healthy: true, reason: null })
    }).pipe(Effect.provide(probing({ allow: "" }))))
})
