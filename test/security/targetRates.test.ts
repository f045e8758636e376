/** Third parties are reached no more often than the limits say, whatever names, redirects, scripts or workspaces lead to them. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { Context, Effect, Either, Layer } from "effect"
import { createServer } from "node:http"
import { RegionId } from "../../schema/check/Region.ts"
import { WorkspaceId } from "../../schema/Ids.ts"
import { addressTimes, makeAddressLimit, networkTimes } from "../../src/domain/check/address/AddressLimit.ts"
import { destinationOf } from "../../src/domain/check/address/Destination.ts"
import { parseAllowList } from "../../src/domain/check/address/Egress.ts"
import { makePermitsAt } from "../../src/domain/check/address/PermitsAt.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { makeDeliveryWorker } from "../../src/notify/alert/DeliveryWorker.ts"
import { AwaitsPermit } from "../../src/probe/AwaitsPermit.ts"
import { probeMetrics } from "../../src/probe/Metrics.ts"
import { type ProbeExit, tools } from "../../src/probe/Probe.ts"
import { probeOnce, startProbe } from "../../src/probe/probes.ts"
import { ScheduledMonitor } from "../../src/probe/ProbeSchedule.ts"
import { makeScheduler } from "../../src/probe/Scheduler.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { fanOut, ground, incidentCreated, loopback, newChannel, newWorkspace, receiver } from "../notify/alert/Receiver.ts"
import { assignmentOf, assignmentTo } from "../support/probe/Assignments.ts"
import { httpTarget, listening, probing } from "../support/targets/LocalTargets.ts"
import { makeManualClock } from "../support/time/ManualClock.ts"
import { until } from "../support/time/Until.ts"

interface Item {
  readonly owner: string
}

const limitOf = (perSecond: number, share = 1) =>
  makeAddressLimit<Item>({ perSecond, ownerOf: ({ owner }) => owner, share: () => share })

/** Offers items to addresses at a time; returns how many may start. */
const offered = (
  limit: ReturnType<typeof limitOf>,
  items: ReadonlyArray<readonly [address: string, owner: string]>,
  now: number
): number => {
  let started = 0
  for (const [address, owner] of items) {
    if (limit.take(address, owner, now)) started++
    else limit.wait(address, { owner }, now)
  }
  return started
}

const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

describe("Connections to one address", () => {
  it("of one workspace keep to the rate of one name, however many names lead there, and none is lost", () => {
    const limit = limitOf(50)
    const perSecond: Array<number> = [offered(limit, times(120, () => ["192.0.2.1", "attacker"] as const), 0)]
    for (let now = 100; now <= 3000; now += 100) {
      const released = limit.advance(now).length
      perSecond[Math.floor(now / 1000)] = (perSecond[Math.floor(now / 1000)] ?? 0) + released
    }
    expect(perSecond).toEqual([55, 55, 10, 0])
    expect(limit.waiting()).toBe(0)
  })

  it("of all workspaces together keep to a multiple, and those of a network to another", () => {
    const one = limitOf(10)
    expect(offered(one, times(500, (index) => ["192.0.2.1", `ws ${index}`] as const), 0)).toBe(10 * addressTimes)
    const network = limitOf(10)
    const spread = times(5000, (index) => [`192.0.2.${index % 250}`, `ws ${index}`] as const)
    expect(offered(network, spread, 0)).toBe(10 * networkTimes)
    const six = times(5000, (index) => [`2001:db8::${(index % 250 + 1).toString(16)}`, `ws ${index}`] as const)
    expect(offered(limitOf(10), six, 0)).toBe(10 * networkTimes)
  })

  it("count together in every spelling of the address", () => {
    const spellings = ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201", "64:ff9b::192.0.2.1", "2002:c000:201::"]
    expect(new Set(spellings.map((one) => destinationOf(one).address)).size).toBe(1)
    const six = ["2001:db8::1", "2001:DB8:0:0:0:0:0:1", "2001:0db8::0001"].map(destinationOf)
    expect(new Set(six.map(({ address }) => address)).size).toBe(1)
    const neighbours = ["2001:db8::1", "2001:db8::ffff:0:1"].map((one) => destinationOf(one).network)
    expect(new Set([...neighbours, ...six.map(({ network }) => network)]).size).toBe(1)
    expect(destinationOf("2001:db8:0:1::1").network).not.toBe(neighbours[0])
  })

  it("of a workspace that floods an address do not delay another's", () => {
    const limit = limitOf(10)
    offered(limit, times(1000, () => ["192.0.2.1", "attacker"] as const), 0)
    offered(limit, [["192.0.2.1", "honest"]], 0)
    expect(limit.advance(100).map(({ item }) => item.owner)).toContain("honest")
  })

  it("keep to this worker's part of the rates", () => {
    const limit = limitOf(10, 0.5)
    expect(offered(limit, times(100, () => ["192.0.2.1", "one"] as const), 0)).toBe(5)
    expect(offered(limitOf(0), times(1000, () => ["192.0.2.1", "one"] as const), 0)).toBe(1000)
  })

  it("of 20,000 monitors of 2,000 workspaces behind one network of a content network do not wait", () => {
    const limit = limitOf(50)
    let waited = 0
    // Each is checked once a minute, at a time of its own; 16 addresses.
    for (let index = 0; index < 20_000; index++) {
      const now = Math.floor((index * 60_000) / 20_000)
      if (!limit.take(`104.16.0.${index % 16}`, `ws ${index % 2000}`, now)) waited++
    }
    expect(waited).toBe(0)
  })

  it("are remembered for a second, so any number of addresses costs no memory", () => {
    const limit = limitOf(50)
    for (let index = 0; index < 200_000; index++) {
      limit.take(`198.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, "one", index)
    }
    expect(limit.size()).toBeLessThan(5000)
  })
})

/** Resolves every name to these addresses. */
const resolvingTo = (...addresses: ReadonlyArray<string>) =>
(
  _: string,
  done: (
    failure: string | null,
    found: ReadonlyArray<{ readonly address: string; readonly family: number }>
  ) => void
) => done(null, addresses.map((address) => ({ address, family: 4 })))

/** Counts connections. */
const counted = Effect.gen(function*() {
  let connections = 0
  const server = createServer((_, response) => response.end("fine"))
  server.on("connection", () => connections++)
  return { port: yield* listening(server), connections: () => connections }
})

/** A turn-taker over a limit whose permits at an address are used up. */
const busyAt = (address: string, isPaced = false) => {
  const limit = limitOf(1)
  for (let index = 0; index < addressTimes; index++) limit.take(address, `other ${index}`, 0)
  return makePermitsAt(limit, { owner: "one", granted: [], isPaced }, () => 0)
}

layer(probing({ resolve: resolvingTo("127.0.0.1") }), { excludeTestServices: true })("Checks", (it) => {
  it.scoped("of 30 names at one address begin at the rate of one name; the others are late, and none fails", () =>
    Effect.gen(function*() {
      const own = yield* tools
      const { connections, port } = yield* counted
      let now = 0
      let underWay = 0
      const ends: Array<ProbeExit> = []
      const scheduler = makeScheduler(
        { concurrency: 400, workspacePercent: 100, hostRate: 10 },
        probeMetrics(RegionId.make("rates")),
        () => now,
        {
          begin: (monitor) => {
            underWay++
            startProbe(monitor.assignment, own, (seen) => {
              underWay--
              if (Either.isLeft(seen) && seen.left instanceof AwaitsPermit) {
                return scheduler.awaitPermit(monitor, seen.left.address)
              }
              ends.push(seen)
              scheduler.end(monitor)
            }, scheduler.permitsFor(monitor.assignment, monitor.run.granted))
          },
          abandon: () => {}
        }
      )
      const monitors = times(
        30,
        (index) => new ScheduledMonitor(assignmentOf({ url: `http://shop-${index}.test:${port}/` }), 0, undefined)
      )
      for (const monitor of monitors) scheduler.joined(monitor)
      scheduler.tick(now, monitors.map((monitor) => ({ monitor, slot: 0, attempt: 0, due: 0 })))
      const idle = until(Effect.sync(() => underWay), (count) => count === 0)
      const seen: Array<number> = []
      for (let second = 0; second < 3; second++) {
        yield* idle
        seen.push(connections())
        now += 1000
        scheduler.tick(now, [])
      }
      yield* idle
      expect([...seen, connections()]).toEqual([11, 22, 30, 30])
      expect(ends.map((end) => Either.isRight(end) && end.right.outcome)).toEqual(times(30, () => "up"))
    }))

  it.scoped("take another address of the host that has a turn", () =>
    Effect.gen(function*() {
      const { connections, port } = yield* counted
      const own = yield* tools
      const guard = EgressGuard.make({
        ...own.guard,
        addressesOf: (_, done) => {
          done(null, [{ address: "127.0.0.9", family: 4 }, { address: "127.0.0.1", family: 4 }])
          return () => {}
        }
      })
      const seen = yield* Effect.async<ProbeExit>((resume) => {
        startProbe(
          assignmentOf({ url: `http://shop.test:${port}/` }),
          { ...own, guard },
          (end) => resume(Effect.succeed(end)),
          busyAt("127.0.0.9")
        )
      })
      expect([Either.isRight(seen) && seen.right.outcome, connections()]).toEqual(["up", 1])
    }))

  it.scoped("that a redirect leads to an address without a turn wait for it, and raise no alarm", () =>
    Effect.gen(function*() {
      const own = yield* tools
      let hits = 0
      const victim = yield* httpTarget((_, response) => {
        hits++
        response.end()
      }, "127.0.0.2")
      const from = yield* httpTarget((_, response) => response.writeHead(302, { location: victim }).end())
      const seen = yield* Effect.async<ProbeExit>((resume) => {
        startProbe(assignmentOf({ url: from }), own, (end) => resume(Effect.succeed(end)), busyAt("127.0.0.2"))
      })
      expect([Either.isLeft(seen) && seen.left, hits]).toEqual([new AwaitsPermit({ address: "127.0.0.2" }), 0])
    }))

  it.scoped("by script wait, too, and their further requests keep to the rate of their workspace", () =>
    Effect.gen(function*() {
      const { connections, port } = yield* counted
      const url = `http://shop.test:${port}/`
      const script = (code: string) => assignmentTo({ kind: "script", code, degradedAfterMs: null } as const, { timeoutMs: 3000 })
      const waiting = yield* probeOnce(script(`await http("${url}")`), busyAt("127.0.0.1", true))
      expect([waiting.cause, waiting.error?.includes("too many checks reach 127.0.0.1"), connections()]).toEqual([
        "internal_error",
        true,
        0
      ])
      // The clock stands still, so this workspace never has more than its 5 a second.
      const permits = makePermitsAt(limitOf(5), { owner: "one", granted: [], isPaced: true }, () => 0)
      const many = `for (let i = 0; i < 40; i++) await http("${url}").catch(() => null)`
      yield* probeOnce(script(many), permits)
      expect(connections()).toBe(5)
    }))

  it.scoped("by DNS and on demand wait, too", () =>
    Effect.gen(function*() {
      const { connections, port } = yield* counted
      const dns = assignmentTo(
        {
          kind: "dns",
          host: "shop.test",
          recordType: "A",
          expected: [],
          resolvers: ["ns.victim.test"],
          port: null,
          degradedAfterMs: null
        } as const,
        { timeoutMs: 1000 }
      )
      const asked = yield* probeOnce(dns, busyAt("127.0.0.1"))
      const byHand = yield* probeOnce(assignmentOf({ url: `http://shop.test:${port}/` }), busyAt("127.0.0.1"))
      expect([asked.cause, byHand.cause, connections()]).toEqual(["internal_error", "internal_error", 0])
    }))
})

layer(ground(loopback), { excludeTestServices: true })("Deliveries", (it) => {
  it.scoped("to 24 names at one address begin at the rate of one name, and waiting is no failed attempt", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver((response) => void response.writeHead(200).end())
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace
      yield* Effect.forEach(
        times(24, (index) => index),
        (index) => newChannel(workspaceId, url.replace("127.0.0.1", `hooks-${index}.test`))
      )
      const log = yield* EventLog
      yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
      yield* fanOut(100)
      const guard = Context.get(
        yield* Layer.build(EgressGuard.Default({
          allow: Either.getOrThrow(parseAllowList("127.0.0.0/8")),
          resolve: resolvingTo("127.0.0.1")
        })),
        EgressGuard
      )
      const manual = makeManualClock(0)
      const { step } = yield* makeDeliveryWorker({
        limits: { concurrency: 400, workspacePercent: 50, hostRate: 6 },
        share: () => 1,
        wake: Effect.void,
        timeoutMs: 10_000
      }).pipe(Effect.provideService(EgressGuard, guard), Effect.withClock(manual.clock))
      yield* Effect.withClock(step, manual.clock)
      for (const begun of [6, 12, 18, 24]) {
        yield* until(Effect.sync(() => seen.length), (count) => count >= begun)
        expect(seen.length).toBe(begun)
        yield* manual.pass(1)
      }
      const ended = sql<{ readonly status: string; readonly attempts: number }>`
        select status, attempts from deliveries where workspace_id = ${workspaceId}`
      // Results are written by the same clock.
      const rows = yield* until(
        Effect.zipRight(manual.pass(1), ended),
        (some) => some.every(({ status }) => status === "delivered")
      )
      expect([rows.length, rows.every(({ attempts }) => attempts === 1)]).toEqual([24, true])
    }))
})

describe("The workspace of a check", () => {
  it("is whose rate counts, not the name of its target", () => {
    const limit = limitOf(1)
    const workspaceId = WorkspaceId.make("ws_00000000000000000000000001")
    const permits = () => makePermitsAt(limit, { owner: workspaceId, granted: [], isPaced: false }, () => 0)
    expect([permits().take("192.0.2.1"), permits().take("192.0.2.1"), permits().take("198.51.100.1")]).toEqual([
      "go",
      "none",
      "go"
    ])
  })

  it("lets a check that waited through once, and counts its further connections", () => {
    const limit = limitOf(1)
    limit.take("192.0.2.1", "one", 0)
    limit.wait("192.0.2.1", { owner: "one" }, 0)
    const [granted] = limit.advance(1000)
    const permits = makePermitsAt(limit, { owner: "one", granted: [granted?.address ?? ""], isPaced: false }, () => 1000)
    expect([permits.take("192.0.2.1"), permits.take("192.0.2.1"), permits.missedAt()]).toEqual(["go", "go", null])
    expect(limit.take("192.0.2.1", "one", 1999)).toBe(false)
  })
})
