/** The machine's own connection goes away and comes back: what the worker reports meanwhile, and afterwards. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, Effect, Exit, Queue, Scope } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import type { TcpTarget } from "../../schema/monitor/kinds/tcp.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import type { WorkerOptions } from "../../src/probe/Worker.ts"
import { makeNetwork } from "../support/network/Network.ts"
import { assignmentTo, region } from "../support/probe/Assignments.ts"
import { makeWorkerBus, workerStart } from "../support/probe/WorkerBus.ts"
import { probing, tcpTarget } from "../support/targets/LocalTargets.ts"

const options: WorkerOptions = { region, workerId: "w1", canaries: [], isOutside: () => true }

const target = (host: string, port: number): TcpTarget => ({
  kind: "tcp",
  host,
  port,
  tls: false,
  sslExpiryDays: null,
  degradedAfterMs: null,
  assertions: []
})

/** So many monitors of targets in networks of their own, a worker that has seen all of them up, and ways to break things. */
const setUp = Effect.fn("setUp")(function*(count: number, more: Partial<WorkerOptions> = {}, intervalSec = 60) {
  const bus = yield* makeWorkerBus
  const { guard, network } = yield* makeNetwork
  const servers = yield* Effect.forEach(Arr.range(1, count), (n) =>
    Effect.gen(function*() {
      const host = `127.0.${n}.1`
      const scope = yield* Effect.acquireRelease(Scope.make(), (made) => Scope.close(made, Exit.void))
      const port = yield* Scope.extend(tcpTarget((socket) => socket.end(), host), scope)
      const assignment = assignmentTo(target(host, port), { intervalSec, changedAt: workerStart })
      return { assignment, stop: Scope.close(scope, Exit.void) }
    }))
  yield* Effect.provideService(bus.work({ ...options, ...more }), EgressGuard, guard)
  yield* bus.assign(...servers.map(({ assignment }) => assignment))
  const seen: Array<CheckResult> = []
  let since = 0
  /** Lets time pass until the results fit: connections take real time, in which the worker's clock stands still. */
  const passUntil = (fits: (seen: ReadonlyArray<CheckResult>) => boolean, seconds = 120) =>
    Effect.gen(function*() {
      for (let step = 0; step < seconds * 5; step++) {
        yield* bus.pass(0.2)
        yield* Effect.repeatN(Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void))), 5)
        for (const result of yield* Queue.takeAll(bus.results)) if (result.at > since) seen.push(result)
        if (fits(seen)) return
      }
      return yield* Effect.dieMessage(
        `Not within ${seconds} s: ${JSON.stringify(seen.map(({ outcome, trusted }) => [outcome, trusted]))}`
      )
    })
  yield* passUntil((results) => results.length >= count)
  expect(seen.every(({ outcome, trusted }) => outcome === "up" && trusted)).toBe(true)
  seen.splice(0)
  // A check that is under way now may still find its target up.
  since = bus.now()
  return { bus, network, servers, seen, passUntil }
})

const ids = (results: ReadonlyArray<CheckResult>) => new Set(results.map(({ monitorId }) => monitorId))
const counted = (results: ReadonlyArray<CheckResult>) => results.filter(({ trusted }) => trusted)

describe("a probe that loses its own connection", () => {
  it.scopedLive("reports nothing that counts, says so in its beat, and checks all again once it is back", () =>
    Effect.gen(function*() {
      const { bus, network, passUntil, seen } = yield* setUp(5)
      network.away = true
      yield* passUntil((results) => ids(results).size === 5)
      expect(counted(seen)).toEqual([])
      const beats = yield* Queue.takeAll(bus.beats)
      expect([...beats].at(-1)).toMatchObject({ healthy: false, reason: expect.stringContaining("lost its own connection") })
      network.away = false
      yield* passUntil((results) => ids(counted(results)).size === 5, 5)
      expect(counted(seen).every(({ outcome }) => outcome === "up")).toBe(true)
      yield* bus.pass(1)
      expect([...(yield* Queue.takeAll(bus.beats))].at(-1)).toMatchObject({ healthy: true, reason: null })
    }).pipe(Effect.provide(probing())))

  it.scopedLive("tells what broke meanwhile as soon as it is back", () =>
    Effect.gen(function*() {
      const { network, passUntil, seen, servers } = yield* setUp(5)
      network.away = true
      const [broken] = servers
      yield* broken!.stop
      yield* passUntil((results) => ids(results).size === 5)
      network.away = false
      yield* passUntil((results) => ids(counted(results)).size === 5, 5)
      const down = counted(seen).filter(({ outcome }) => outcome === "down")
      expect(down.map(({ monitorId }) => monitorId)).toEqual([broken!.assignment.monitorId])
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reports at face value what its targets are if the check of its connection is off", () =>
    Effect.gen(function*() {
      const { network, passUntil, seen } = yield* setUp(5, { checksUplink: false })
      network.away = true
      yield* passUntil((results) => ids(results).size === 5)
      expect(counted(seen).every(({ outcome }) => outcome === "down")).toBe(true)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("reports at face value if it has too few independent targets to tell", () =>
    Effect.gen(function*() {
      const { network, passUntil, seen } = yield* setUp(3)
      network.away = true
      yield* passUntil((results) => ids(results).size === 3)
      expect(counted(seen).length).toBeGreaterThan(0)
    }).pipe(Effect.provide(probing())))
})

describe("a target that breaks while the connection works", () => {
  it.scopedLive("is reported in the same slot, also when several break together", () =>
    Effect.gen(function*() {
      const { passUntil, seen, servers } = yield* setUp(6)
      for (const { stop } of servers.slice(0, 3)) yield* stop
      yield* passUntil((results) => ids(results).size === 6)
      const down = seen.filter(({ outcome }) => outcome === "down")
      expect(ids(down)).toEqual(new Set(servers.slice(0, 3).map(({ assignment }) => assignment.monitorId)))
      expect(down.every(({ trusted }) => trusted)).toBe(true)
    }).pipe(Effect.provide(probing())))

  it.scopedLive("is reported even if its targets inside the local network answer no more", () =>
    Effect.gen(function*() {
      const { passUntil, seen, servers } = yield* setUp(5, { isOutside: () => false })
      for (const { stop } of servers) yield* stop
      yield* passUntil((results) => ids(results).size === 5)
      expect(seen.every(({ outcome, trusted }) => outcome === "down" && trusted)).toBe(true)
    }).pipe(Effect.provide(probing())))
})
