/** The scheduler on a test clock: start order, lanes, skipped checks and abandoned checks. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { register } from "prom-client"
import { RegionId } from "../../schema/check/Region.ts"
import { WorkspaceId } from "../../schema/Ids.ts"
import { phaseOf } from "../../src/domain/check/round/CheckSlot.ts"
import { probeMetrics } from "../../src/probe/Metrics.ts"
import type { ProbeLimits } from "../../src/probe/ProbeLimits.ts"
import { CheckRun, type ScheduledMonitor } from "../../src/probe/ProbeSchedule.ts"
import { leaseMarginMs, makeScheduler, slowMs } from "../../src/probe/Scheduler.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"

const region = RegionId.make("scheduler")

const valueOf = async (name: string, label: string): Promise<number> => {
  const metric = await register.getSingleMetric(name)!.get()
  return metric.values.filter(({ labels }) => labels.region === region && Object.values(labels).includes(label))
    .reduce((sum, { value }) => sum + value, 0)
}

/** How many were counted while `work` ran. */
const counted = async (name: string, label: string, work: () => void): Promise<number> => {
  const before = await valueOf(name, label)
  work()
  return (await valueOf(name, label)) - before
}

const postOf = (workspace: string, { host = workspace, timeoutMs = 10_000, intervalSec = 10 } = {}): ScheduledMonitor => {
  const workspaceId = WorkspaceId.make(`ws_${workspace.padStart(26, "0")}`)
  const assignment = assignmentOf({ url: `http://${host}/` }, { workspaceId, timeoutMs, intervalSec })
  const intervalMs = intervalSec * 1000
  return {
    assignment,
    partitions: new Set([0]),
    host,
    rhythm: { intervalMs, phase: phaseOf(assignment.monitorId, intervalMs) },
    run: new CheckRun(),
    streak: null,
    wasSlow: false,
    busy: true,
    gone: false,
    midSlot: false,
    checked: true,
    putOff: false,
    failures: 0,
    attempt: 0,
    resumeAt: null,
    timer: null
  }
}

const many = (count: number, make: () => ScheduledMonitor): ReadonlyArray<ScheduledMonitor> => Array.from({ length: count }, make)

const harness = (limits: Partial<ProbeLimits> = {}) => {
  let now = 0
  const known = new Set<ScheduledMonitor>()
  const underWay: Array<ScheduledMonitor> = []
  const abandoned: Array<ScheduledMonitor> = []
  const scheduler = makeScheduler(
    { concurrency: 40, workspacePercent: 50, hostRate: 0, ...limits },
    probeMetrics(region),
    () => now,
    { begin: (monitor) => underWay.push(monitor), abandon: (monitor) => abandoned.push(monitor) }
  )
  return {
    scheduler,
    underWay,
    abandoned,
    /** Runs a tick in which these monitors fall due. */
    tick: (monitors: ReadonlyArray<ScheduledMonitor> = [], ms = 250) => {
      now += ms
      for (const monitor of monitors) {
        if (known.has(monitor)) continue
        known.add(monitor)
        scheduler.joined(monitor)
      }
      scheduler.tick(now, monitors.map((monitor) => ({ monitor, slot: now, attempt: 0, due: now })))
    },
    pass: (ms: number) => {
      for (const end = now + ms; now < end;) {
        now += 250
        scheduler.tick(now, [])
      }
    },
    skip: (monitor: ScheduledMonitor) => scheduler.skip({ monitor, slot: now, attempt: 0, due: now }),
    end: (monitor: ScheduledMonitor) => {
      underWay.splice(underWay.indexOf(monitor), 1)
      scheduler.end(monitor)
    },
    inLane: (lane: string) => underWay.filter(({ run }) => run.lane === lane)
  }
}

describe("the scheduler", () => {
  it("moves a check to the slow lane after one second, and gives its fast slot to the next", () => {
    const { inLane, pass, tick, underWay } = harness({ concurrency: 8, workspacePercent: 100 })
    const monitors = many(4, () => postOf("a"))
    tick(monitors)
    expect(underWay).toEqual(monitors.slice(0, 2))
    pass(slowMs)
    expect([inLane("slow"), inLane("fast")]).toEqual([monitors.slice(0, 2), monitors.slice(2)])
  })

  it("starts a monitor in the slow lane if its last check was slow, and in the fast lane once it is fast again", () => {
    const { end, inLane, pass, tick } = harness()
    const monitor = postOf("a")
    tick([monitor])
    pass(slowMs)
    end(monitor)
    tick([monitor])
    expect(inLane("slow")).toEqual([monitor])
    end(monitor)
    tick([monitor])
    expect(inLane("fast")).toEqual([monitor])
  })

  it("keeps a slot free for another workspace despite thousands of hanging checks", () => {
    const { end, pass, tick, underWay } = harness({ concurrency: 400 })
    tick(many(3650, () => postOf("tarpit", { timeoutMs: 120_000 })))
    for (let round = 0; round < 20; round++) {
      const neighbour = postOf("neighbour")
      tick([neighbour])
      expect(underWay).toContain(neighbour)
      end(neighbour)
      pass(1000)
      expect(underWay.length).toBeLessThanOrEqual(200)
    }
    expect(underWay.length).toBe(200)
  })

  it("never exceeds a workspace's share or the number of slots", () => {
    const step = fc.record({
      workspace: fc.constantFrom("a", "b", "c", "d"),
      count: fc.nat(6),
      ends: fc.nat(5),
      ms: fc.constantFrom(100, 250, 1000)
    })
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 4, max: 24 }), (steps, concurrency) => {
      const { end, tick, underWay } = harness({ concurrency })
      const share = (slots: number) => Math.max(1, Math.floor(slots / 2))
      const fast = Math.ceil(concurrency / 4)
      for (const { count, ends, ms, workspace } of steps) {
        tick(many(count, () => postOf(workspace)), ms)
        for (let i = 0; i < ends && underWay.length > 0; i++) end(underWay[(i * 7) % underWay.length]!)
        expect(underWay.length).toBeLessThanOrEqual(concurrency)
        for (const owner of ["a", "b", "c", "d"]) {
          const held = underWay.filter(({ assignment }) => assignment.workspaceId.endsWith(owner))
          expect(held.filter(({ run }) => run.lane === "fast").length).toBeLessThanOrEqual(share(fast))
          expect(held.filter(({ run }) => run.lane === "slow").length).toBeLessThanOrEqual(share(concurrency - fast))
        }
      }
      while (underWay.length > 0) end(underWay[0]!)
      expect(harness({ concurrency }).underWay).toEqual([])
    }))
  })

  it("moves a waiting check to the newer slot that fell due, and counts the skipped one", async () => {
    const { end, skip, tick, underWay } = harness({ concurrency: 4, workspacePercent: 100 })
    const [first, second] = [postOf("a"), postOf("b")]
    tick([first, second])
    tick([], 500)
    expect(await counted("belltower_checks_skipped_total", "no_slot", () => skip(second))).toBe(1)
    expect(await counted("belltower_checks_skipped_total", "under_way", () => skip(first))).toBe(1)
    end(first)
    expect(underWay).toEqual([second])
    expect(second.run.slot).toBe(750)
  })

  it("reports why a check was skipped: no free slot, the workspace's share or the host's rate", async () => {
    const reasons = async (limits: Partial<ProbeLimits>, before: ReadonlyArray<ScheduledMonitor>, waiting: ScheduledMonitor) => {
      const { skip, tick } = harness(limits)
      tick([...before, waiting])
      const found: Array<string> = []
      for (const reason of ["under_way", "no_slot", "workspace_share", "host_rate"]) {
        if ((await counted("belltower_checks_skipped_total", reason, () => skip(waiting))) > 0) found.push(reason)
      }
      return found
    }
    expect(await reasons({ concurrency: 4, workspacePercent: 100 }, [postOf("a")], postOf("b"))).toEqual(["no_slot"])
    expect(await reasons({ concurrency: 8 }, [postOf("a")], postOf("a"))).toEqual(["workspace_share"])
    expect(await reasons({ hostRate: 1 }, [postOf("a", { host: "h" })], postOf("b", { host: "h" }))).toEqual(["host_rate"])
  })

  it("spreads checks at one host, serves the other workspace first, and does not count them as late", async () => {
    const { end, scheduler, tick, underWay } = harness({ concurrency: 4000, hostRate: 50 })
    const neighbour = postOf("neighbour", { host: "shared" })
    tick(many(3650, () => postOf("crowd", { host: "shared" })))
    expect(underWay).toHaveLength(50)
    tick([neighbour], 100)
    for (let ms = 0; ms < 900; ms += 100) tick([], 100)
    expect(underWay).toContain(neighbour)
    expect(underWay).toHaveLength(100)
    for (const monitor of [...underWay]) end(monitor)
    for (let second = 0; second < 10; second++) tick([], 1000)
    expect(underWay).toHaveLength(500)
    expect(scheduler.takeLateness()).toMatchObject({ looks: 600, late: 0, p99Ms: 0 })
  })

  it("starts only its share of the checks at one host that all workers of the region may start", () => {
    const { scheduler, tick, underWay } = harness({ concurrency: 4000, hostRate: 50 })
    scheduler.setShare(0.25)
    tick(many(300, () => postOf("crowd", { host: "shared" })))
    for (let ms = 0; ms < 900; ms += 100) tick([], 100)
    expect(underWay).toHaveLength(12)
    scheduler.setShare(1)
    tick([], 1000)
    expect(underWay).toHaveLength(62)
  })

  it("counts checks that start late, and checks that could not start", () => {
    const { end, scheduler, skip, tick, underWay } = harness({ concurrency: 4, workspacePercent: 100 })
    const [first, second, third] = [postOf("a"), postOf("b"), postOf("c")]
    tick([first, second, third])
    tick([], 1500)
    end(first)
    expect(underWay).toEqual([second])
    skip(third)
    expect(scheduler.takeLateness()).toMatchObject({ looks: 2, late: 2 })
    expect(scheduler.takeLateness()).toEqual({ looks: 0, late: 0, p99Ms: 0 })
  })

  it("abandons a check after its timeout plus a margin, and no sooner", () => {
    const { abandoned, end, pass, tick, underWay } = harness()
    const [stuck, good] = [postOf("a"), postOf("a")]
    tick([stuck, good])
    pass(2000)
    end(good)
    pass(10_000 + leaseMarginMs - 3000)
    expect(abandoned).toEqual([])
    pass(2000)
    expect(abandoned).toEqual([stuck])
    expect(underWay).toEqual([stuck])
  })

  it("does not age checks while the machine stands still", () => {
    const { abandoned, pass, tick } = harness()
    tick([postOf("a")])
    pass(1500)
    tick([], 3_600_000)
    expect(abandoned).toEqual([])
  })

  it("drops a waiting check when its monitor is removed", () => {
    const { end, tick, underWay } = harness({ concurrency: 4, workspacePercent: 100 })
    const [first, gone, last] = [postOf("a"), postOf("a"), postOf("a")]
    tick([first, gone, last])
    gone.gone = true
    end(first)
    expect(underWay).toEqual([last])
    expect(gone.busy).toBe(false)
  })
})
