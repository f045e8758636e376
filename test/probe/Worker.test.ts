/** The worker on a test clock: what it checks and reports, and how it handles outages. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option, Queue } from "effect"
import type { ServerResponse } from "node:http"
import { dueAfter, phaseOf } from "../../src/domain/check/round/CheckSlot.ts"
import { idTime } from "../../src/domain/tools/Id.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { defaultProbeLimits } from "../../src/probe/ProbeLimits.ts"
import { run } from "../../src/probe/Worker.ts"
import type { WorkerOptions } from "../../src/probe/Worker.ts"
import { assignmentOf, lateInSlot, region } from "../support/probe/Assignments.ts"
import { makeWorkerBus, workerStart as start } from "../support/probe/WorkerBus.ts"
import { httpTarget, probing, tcpTarget } from "../support/targets/LocalTargets.ts"
import { constantly, until } from "../support/time/Until.ts"

const options: WorkerOptions = { region, workerId: "w1", canaries: [] }

/** At a private address: blocked without network access, so only the test clock matters. */
const blocked = "http://10.0.0.1/"
const instant = (rest?: Parameters<typeof assignmentOf>[1]) => assignmentOf({ url: blocked }, rest)

/** The time from the beginning to the assignment's next slot, ms. */
const untilSlot = ({ intervalSec, monitorId }: ReturnType<typeof instant>): number => {
  const intervalMs = intervalSec * 1000
  return dueAfter({ intervalMs, phase: phaseOf(monitorId, intervalMs) }, start) - start
}

/** An edit in the middle of a slot: the next one does not begin within the seconds that a test lets pass. */
const midSlot = (url: string): ReturnType<typeof instant> => {
  const assignment = assignmentOf({ url }, { changedAt: start })
  return untilSlot(assignment) > 30_000 ? assignment : midSlot(url)
}

/** No edit: the next check is that of the next slot. */
const checkedBefore = (rest: Parameters<typeof instant>[0] = {}): ReturnType<typeof instant> =>
  lateInSlot(() => instant({ ...rest, changedAt: start - 60_000 }), start)

/** Lets time pass until the next heartbeat: on a busy machine, the worker may begin its pause before it late. */
const nextBeat = ({ beats, pass }: Effect.Effect.Success<typeof makeWorkerBus>) =>
  Effect.raceFirst(Queue.take(beats), Effect.forever(Effect.zipRight(pass(1), Effect.sleep("5 millis"))))

describe("a probe worker", () => {
  it.scopedLive("checks its monitors in every slot, and reports slot, revision and time", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      yield* bus.work(options)
      const assignment = checkedBefore({ revision: 4 })
      yield* bus.own(0)
      yield* bus.assign(assignment)
      yield* bus.pass(660)
      const results = [...(yield* Queue.takeN(bus.results, 11))]
      expect(yield* Queue.size(bus.results)).toBe(0)
      expect(results.map(({ slot }) => slot)).toEqual(results.map((_, step) => results[0]!.slot + step))
      // The eleventh failure repeats the tenth.
      const [last, ...firstTen] = results.toReversed()
      expect(firstTen.map(({ evidence, repeats }) => [evidence !== null, repeats])).toEqual(Array(10).fill([true, undefined]))
      expect([last?.evidence, last?.repeats]).toEqual([null, firstTen[0]?.checkId])
      for (const result of results) {
        expect(result).toMatchObject({
          monitorId: assignment.monitorId,
          revision: 4,
          region,
          outcome: "down",
          cause: "blocked_target",
          trusted: true
        })
        expect(idTime(result.checkId)).toBe(result.at)
      }
    }).pipe(Effect.provide(probing({ allow: "" }))))

  it.scopedLive("repeats a failed check within its slot if the monitor wants that", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      yield* bus.work(options)
      yield* bus.assign(checkedBefore({ confirm: { afterSec: 5, most: 2 } }))
      yield* bus.pass(120)
      const results = [...(yield* Queue.takeN(bus.results, 4))]
      expect(yield* Queue.size(bus.results)).toBe(0)
      expect(results.map(({ attempt }) => attempt)).toEqual([undefined, 1, 2, undefined])
      expect(results.map(({ slot }) => slot - results[0]!.slot)).toEqual([0, 0, 0, 1])
      for (const [index, { at }] of results.slice(0, 3).entries()) {
        expect(Math.abs(at - results[0]!.at - index * 5000)).toBeLessThanOrEqual(1000)
      }
    }).pipe(Effect.provide(probing({ allow: "" }))))

  it.scopedLive("checks a fresh edit immediately, and ignores its replay", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      yield* bus.work(options)
      const assignment = midSlot(blocked)
      yield* bus.assign(assignment, { ...assignment }, { ...assignment })
      yield* bus.pass(1)
      yield* Queue.takeN(bus.results, 1)
      expect(yield* Queue.size(bus.results)).toBe(0)
    }).pipe(Effect.provide(probing({ allow: "" }))))

  it.scopedLive("keeps evidence of failures, of recoveries, and of one in 60 other checks", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      let status = 200
      const url = yield* httpTarget((_, response) => response.writeHead(status).end("body"))
      yield* bus.work(options)
      const assignment = assignmentOf({ url }, { intervalSec: 12, timeoutMs: 60_000, changedAt: start - 60_000 })
      yield* bus.assign(assignment)
      // A check may begin at the very end of its interval, and its answer needs real time.
      const next = Effect.flatMap(
        until(Effect.zipRight(bus.pass(1), Queue.poll(bus.results)), Option.isSome, "60 seconds", constantly),
        (result) => result
      )
      const good = yield* Effect.replicateEffect(next, 12)
      expect(good.filter(({ evidence }) => evidence !== null).length).toBeLessThan(4)
      status = 500
      const bad = yield* next
      status = 200
      const recovered = yield* next
      expect([bad.outcome, bad.evidence?.body, recovered.outcome, recovered.evidence?.body]).toEqual([
        "down",
        "body",
        "up",
        "body"
      ])
    }).pipe(Effect.provide(probing())))

  it.scopedLive("runs no more concurrent checks than it has slots, and queues the rest", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      let open = 0
      let most = 0
      const waiting: Array<() => void> = []
      const arrivals = yield* Queue.unbounded<void>()
      const url = yield* httpTarget((_, response) => {
        most = Math.max(most, ++open)
        waiting.push(() => {
          open--
          response.end()
        })
        Queue.unsafeOffer(arrivals, undefined)
      })
      yield* bus.work({ ...options, limits: { ...defaultProbeLimits, concurrency: 3, workspacePercent: 100 } })
      yield* bus.assign(
        ...Array.from({ length: 10 }, () => assignmentOf({ url }, { intervalSec: 10, timeoutMs: 60_000, changedAt: start }))
      )
      yield* bus.pass(30)
      for (let i = 0; i < 10; i++) {
        yield* Queue.take(arrivals)
        waiting.shift()!()
        // Results gather for a moment.
        yield* until(Effect.zipRight(bus.pass(1), Queue.poll(bus.results)), Option.isSome, "60 seconds", constantly)
      }
      expect(most).toBe(3)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("starts thousands of checks that end immediately, and skips none", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      yield* bus.work({ ...options, limits: { concurrency: 10, workspacePercent: 100, hostRate: 0 } })
      yield* bus.assign(
        ...Array.from({ length: 5000 }, () => instant({ changedAt: start, secrets: { headers: { "not sendable": "x" } } }))
      )
      yield* bus.pass(2)
      const results = yield* Queue.takeAll(bus.results)
      expect(new Set([...results].map(({ monitorId }) => monitorId)).size).toBe(5000)
    }).pipe(Effect.provide(probing({ allow: "" }))))

  it.scopedLive("repeats a check during which the machine stood still", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      const arrived = yield* Queue.unbounded<() => void>()
      const url = yield* httpTarget((request, response) => {
        Queue.unsafeOffer(arrived, () => void (arrivals++ === 0 ? request.socket.destroy() : response.end()))
      })
      let arrivals = 0
      yield* bus.work(options)
      yield* bus.assign(assignmentOf({ url }, { intervalSec: 60, changedAt: start }))
      yield* bus.pass(1)
      const cutOff = yield* Queue.take(arrived)
      yield* bus.jump(3_600_000)
      cutOff()
      const answer = yield* Queue.take(arrived)
      answer()
      const result = yield* Queue.take(bus.results)
      expect(result).toMatchObject({ outcome: "up", at: start + 3_601_000 })
      expect(result.slot).toBeGreaterThan((start + 3_500_000) / 60_000)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("repeats a check only once, however often the machine stands still", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      const arrived = yield* Queue.unbounded<() => void>()
      const url = yield* httpTarget((request) => Queue.unsafeOffer(arrived, () => request.socket.destroy()))
      yield* bus.work(options)
      yield* bus.assign(assignmentOf({ url }, { intervalSec: 86_400, changedAt: start }))
      yield* bus.pass(1)
      for (let standstill = 0; standstill < 2; standstill++) {
        const cutOff = yield* Queue.take(arrived)
        yield* bus.jump(3_600_000)
        cutOff()
      }
      expect(yield* Queue.take(bus.results)).toMatchObject({ outcome: "down", cause: "protocol_error", at: start + 3_601_000 })
      expect(yield* Queue.size(arrived)).toBe(0)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("does not repeat a check after it blocked its own event loop", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      const used = { cpuMs: 0, activeMs: 0 }
      const arrived = yield* Queue.unbounded<() => void>()
      const url = yield* httpTarget((_, response) => Queue.unsafeOffer(arrived, () => response.end()))
      yield* bus.work({ ...options, usage: () => ({ ...used }) })
      yield* bus.assign(midSlot(url))
      yield* bus.pass(1)
      const answer = yield* Queue.take(arrived)
      used.cpuMs = used.activeMs = 20_000
      yield* bus.jump(20_000)
      answer()
      const result = yield* Queue.take(bus.results)
      expect(result.outcome).toBe("up")
      expect(result.at).toBeLessThanOrEqual(start + 1000)
      expect(yield* Queue.size(arrived)).toBe(0)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("abandons a check that never ends, reports `internal_error`, and frees its slot", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      const guard = yield* EgressGuard
      let stuck = 0
      // Neither the DNS lookup nor the deadline ever completes.
      const never = EgressGuard.make({
        ...guard,
        addressesOf: () => {
          stuck++
          return () => {}
        },
        deadlines: { after: () => () => {} }
      })
      const limits = { concurrency: 4, workspacePercent: 25, hostRate: 0 }
      yield* Effect.provideService(bus.work({ ...options, limits }), EgressGuard, never)
      const rest = { intervalSec: 86_400, timeoutMs: 10_000, changedAt: start }
      // One slot per lane: the third check can start only after another is abandoned.
      yield* bus.assign(...Array.from({ length: 3 }, () => instant(rest)))
      yield* bus.pass(30)
      expect([stuck, yield* Queue.size(bus.results)]).toEqual([2, 0])
      yield* bus.pass(15)
      expect(yield* Queue.take(bus.results)).toMatchObject({ outcome: "down", cause: "internal_error" })
      expect(stuck).toBe(3)
    }).pipe(Effect.provide(probing({ allow: "" }))))

  it.scopedLive("reports the number of checks and their lateness in its heartbeat", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      yield* bus.work(options)
      yield* bus.assign(...Array.from({ length: 20 }, () => midSlot(blocked)))
      expect(yield* nextBeat(bus)).toMatchObject({ looks: 0, looksLate: 0, latenessP99Ms: 0 })
      yield* bus.pass(5)
      const second = yield* nextBeat(bus)
      expect(second).toMatchObject({ monitors: 20, looksLate: 0 })
      expect(second.looks).toBeGreaterThanOrEqual(20)
      expect(second.latenessP99Ms).toBeLessThan(500)
    }).pipe(Effect.provide(probing({ allow: "" }))))

  it.scopedLive("buffers results while the bus is unavailable, and sends them in order when it is back", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      bus.state.away = true
      yield* bus.work(options)
      yield* bus.assign(...Array.from({ length: 300 }, () => instant({ intervalSec: 60, changedAt: start - 60_000 })))
      yield* bus.pass(180)
      expect(yield* Queue.size(bus.results)).toBe(0)
      bus.state.away = false
      yield* bus.pass(3)
      const results = [...(yield* Queue.takeAll(bus.results))]
      expect(results.length).toBeGreaterThanOrEqual(900)
      expect(Math.max(...bus.state.batches)).toBeLessThanOrEqual(500)
      const byMonitor = new Map<string, Array<number>>()
      for (const { monitorId, slot } of results) byMonitor.set(monitorId, [...(byMonitor.get(monitorId) ?? []), slot])
      for (const slots of byMonitor.values()) expect(slots).toEqual([...slots].sort((a, b) => a - b))
    }).pipe(Effect.provide(probing({ allow: "" }))))

  it.scopedLive("stops within its time limit: cancels checks and flushes results, even while the bus is unavailable", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      const arrived = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const url = yield* httpTarget((request) => {
        request.socket.on("close", () => Deferred.unsafeDone(gone, Effect.void))
        Deferred.unsafeDone(arrived, Effect.void)
      })
      const fiber = yield* Effect.fork(run(options).pipe(Effect.provide(bus.layer)))
      const now = Date.now()
      bus.state.away = true
      yield* bus.assign(assignmentOf({ url }, { changedAt: now, timeoutMs: 60_000 }), instant({ changedAt: now }))
      yield* Deferred.await(arrived)
      const before = performance.now()
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(gone)
      // The check had a moment to end, and so had the results: seconds, also on a busy machine, where the check had a minute.
      expect(performance.now() - before).toBeLessThan(30_000)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("that stops begins no more checks, and reports those under way that end soon", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      const arrived = yield* Deferred.make<ServerResponse>()
      const url = yield* httpTarget((_, response) => void Deferred.unsafeDone(arrived, Effect.succeed(response)))
      const fiber = yield* Effect.fork(run(options).pipe(Effect.provide(bus.layer)))
      const assignment = assignmentOf({ url }, { changedAt: Date.now() })
      yield* bus.assign(assignment)
      const response = yield* Deferred.await(arrived)
      const stopping = yield* Effect.fork(Fiber.interrupt(fiber))
      yield* Effect.sync(() => response.end("late")).pipe(Effect.delay("300 millis"))
      yield* Fiber.join(stopping)
      expect([...(yield* Queue.takeAll(bus.results))]).toMatchObject([{ monitorId: assignment.monitorId, outcome: "up" }])
    }).pipe(Effect.provide(probing())))

  it.scopedLive("answers requested checks with evidence and without a slot", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      const url = yield* httpTarget((_, response) => response.end("by hand"))
      yield* bus.work(options)
      const look = yield* Deferred.await(bus.asked)
      const result = yield* look(assignmentOf({ url }))
      expect(result).toMatchObject({ slot: -1, outcome: "up", evidence: { body: "by hand" } })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("sends a heartbeat every 10 s, and distrusts its results when it can reach no canary", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      const port = yield* tcpTarget(() => {})
      const dead = yield* Effect.scoped(tcpTarget(() => {}))
      const canary = (at: number) => ({ host: "127.0.0.1", port: at })
      const well = yield* bus.work({ ...options, canaries: [canary(dead), canary(port)] })
      expect(yield* Queue.take(bus.beats)).toMatchObject({ region, workerId: "w1", healthy: true, reason: null, monitors: 0 })
      const before = bus.now()
      expect(yield* nextBeat(bus)).toMatchObject({ healthy: true })
      expect(bus.now() - before).toBeGreaterThan(9_000)
      yield* Fiber.interrupt(well)
      const other = yield* makeWorkerBus
      yield* other.work({ ...options, canaries: [canary(dead)] })
      expect(yield* Queue.take(other.beats)).toMatchObject({
        healthy: false,
        reason: `None of the canaries can be reached: 127.0.0.1:${dead}`
      })
      yield* other.assign(instant({ changedAt: start }))
      yield* other.pass(1)
      expect(yield* Queue.take(other.results)).toMatchObject({ trusted: false })
    }).pipe(Effect.provide(probing({ allow: "" }))))

  it.scopedLive("continues after a clock jump in either direction, without a storm", () =>
    Effect.gen(function*() {
      const bus = yield* makeWorkerBus
      yield* bus.work(options)
      yield* bus.assign(...Array.from({ length: 60 }, () => instant({ changedAt: start - 60_000 })))
      // Slightly more than one interval: the tick after its end starts what is due at its end.
      yield* bus.pass(61)
      yield* Queue.takeN(bus.results, 60)
      yield* Queue.takeAll(bus.results)
      for (const hours of [9, -30]) {
        yield* bus.jump(hours * 3_600_000)
        expect((yield* Queue.takeAll(bus.results)).length).toBeLessThan(5)
        yield* bus.pass(61)
        const seen = yield* Queue.takeAll(bus.results)
        expect(new Set([...seen].map(({ monitorId }) => monitorId)).size).toBe(60)
        expect(seen.length).toBeLessThan(66)
      }
    }).pipe(Effect.provide(probing({ allow: "" }))))
})
