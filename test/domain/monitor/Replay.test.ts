/** A replay decides as the live state machine did, and shows what other rules would have made of the same results. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { Outcome } from "../../../schema/check/Check.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { CheckId, MonitorId } from "../../../schema/Ids.ts"
import type { Rules } from "../../../schema/monitor/Monitor.ts"
import type { StoredCheck } from "../../../src/domain/check/history/StoredCheck.ts"
import { phaseOf, slotAt, slotStart } from "../../../src/domain/check/round/CheckSlot.ts"
import { initialMachine, observe } from "../../../src/domain/monitor/MonitorMachine.ts"
import { makeReplay, type ReplayPlan, summarize } from "../../../src/domain/monitor/Replay.ts"
import { overlap } from "../../../src/domain/monitor/Uptime.ts"

const monitorId = MonitorId.make(`mon_${"0".repeat(26)}`)
const [eu, us, ap] = ["eu", "us", "ap"].map((id) => RegionId.make(id)) as [RegionId, RegionId, RegionId]
const intervalMs = 60_000
const phase = phaseOf(monitorId, intervalMs)
const first = slotAt(1_790_000_000_000, phase, intervalMs)
const start = slotStart(first, phase, intervalMs)

const rules: Rules = {
  confirmAfterSec: null,
  failureRate: null,
  intervalSec: 60,
  timeoutMs: 10_000,
  failureThreshold: 2,
  recoveryThreshold: 1,
  regions: [eu]
}

let made = 0
const checkAt = (slot: number, region: RegionId, outcome: Outcome, more: Partial<StoredCheck> = {}): StoredCheck => ({
  id: CheckId.make(`chk_${String(++made).padStart(26, "0")}`),
  at: slotStart(first + slot, phase, intervalMs) + 5,
  region,
  outcome,
  counted: true,
  statusCode: null,
  latencyMs: 100,
  error: null,
  cause: outcome === "down" ? "status" : outcome === "degraded" ? "slow" : null,
  timings: null,
  hasEvidence: false,
  omitted: null,
  ...more
})

const d = "down" as const
const u = "up" as const

const run = (checks: ReadonlyArray<StoredCheck>, minutes: number, more: Partial<Rules> = {}, plan: Partial<ReplayPlan> = {}) => {
  const replay = makeReplay({
    monitorId,
    rules: { ...rules, ...more },
    intervalSec: 60,
    degradedAfterMs: undefined,
    state: "up",
    start,
    ...plan
  })
  replay.feed(checks)
  const end = start + minutes * 60_000
  return summarize(replay.finish(end), { from: start, to: end })
}

const inEu = (outcomes: ReadonlyArray<Outcome>) => outcomes.map((outcome, slot) => checkAt(slot, eu, outcome))

describe("A replay", () => {
  it("counts the outages that confirmations let through, from the first failure on", () => {
    const checks = inEu([u, d, u, d, d, d, u, u, d, d])
    const two = run(checks, 10)
    expect([two.alerts, two.downMs]).toEqual([2, 5 * 60_000 - 5])
    expect(two.outages).toMatchObject([
      { state: "down", from: checks[3]!.at, to: checks[6]!.at, cause: "status", checkId: checks[4]!.id },
      { state: "down", from: checks[8]!.at, to: null, checkId: checks[9]!.id }
    ])
    expect(run(checks, 10, { failureThreshold: 1 }).alerts).toBe(3)
    expect(run(checks, 10, { failureThreshold: 3 }).alerts).toBe(1)
    expect(run(checks, 10, { failureThreshold: 4 }).alerts).toBe(0)
  })

  it("votes only with the regions that are proposed", () => {
    const checks = Array.from({ length: 5 }, (_, slot) => [checkAt(slot, eu, u), checkAt(slot, us, d), checkAt(slot, ap, u)])
      .flat()
    expect(run(checks, 5, { regions: [eu, us, ap] }).alerts).toBe(0)
    expect(run(checks, 5, { regions: [us] }).alerts).toBe(1)
    expect(run(checks, 5, { regions: [eu, us] }).alerts).toBe(0)
  })

  it("waits for a region without results as the live machine does, and goes on without it", () => {
    expect(run(inEu([u, d, d]), 3, { regions: [eu, us, ap] }).alerts).toBe(1)
    expect(run(inEu([u, d, d]), 2.5, { regions: [eu, us, ap] }).alerts).toBe(0)
  })

  it("takes one result of each longer interval", () => {
    const checks = inEu([u, u, d, d, u, u, u, u, u, u, u, u])
    expect(run(checks, 12).alerts).toBe(1)
    expect(run(checks, 12, { intervalSec: 300 }).alerts).toBe(0)
  })

  it("judges latencies again, but neither failures nor other degradations", () => {
    const checks = [
      checkAt(0, eu, u, { latencyMs: 900 }),
      checkAt(1, eu, "degraded", { latencyMs: 50, cause: "ssl_expiry" }),
      checkAt(2, eu, u, { latencyMs: 90 }),
      checkAt(3, eu, "degraded", { latencyMs: 700 })
    ]
    expect(run(checks, 4).degradations).toBe(2)
    expect(run(checks, 4, {}, { degradedAfterMs: null }).degradations).toBe(1)
    expect(run(checks, 4, {}, { degradedAfterMs: 800 }).degradations).toBe(1)
    expect(run([checks[0]!, checks[2]!, checks[3]!], 4, {}, { degradedAfterMs: 800 }).outages[0]?.from).toBe(checks[0]!.at)
  })

  it("gives what did not count no vote, and alerts nobody about an outage that began before", () => {
    expect(run([0, 1, 2, 3].map((slot) => checkAt(slot, eu, d, { counted: false })), 4).alerts).toBe(0)
    const before = run(inEu([d, d, u]), 3, {}, { state: "down" })
    expect([before.alerts, before.outages.length]).toEqual([0, 1])
  })

  it("sees a gap without results as unobserved, and the same outage after it as one", () => {
    const gap = run([...inEu([u, d, d, d]), checkAt(20, eu, d), checkAt(21, eu, u)], 22)
    expect([gap.alerts, gap.outages.length]).toEqual([1, 1])
    expect(gap.downMs).toBeLessThan(5 * 60_000)
  })

  /** Further checks in a slot, so many seconds after its own. */
  const later = (slot: number, seconds: number, region: RegionId, outcome: Outcome) => {
    const one = checkAt(slot, region, outcome)
    return { ...one, at: one.at + seconds * 1000 }
  }

  it("takes checks that callers applied within one slot, each as a round", () => {
    const checks = [checkAt(0, eu, u), later(0, 10, eu, d), later(0, 20, eu, d), later(0, 30, eu, d), checkAt(1, eu, d)]
    expect(run(checks, 2).outages).toMatchObject([{ from: checks[1]!.at, checkId: checks[2]!.id }])
    expect(run(checks, 2, { failureThreshold: 3 }).outages).toMatchObject([{ from: checks[1]!.at, checkId: checks[3]!.id }])
    // The last ones of the period count, too.
    expect(run(checks.slice(0, 3), 1).alerts).toBe(1)
    const back = [...checks, later(1, 30, eu, u)]
    expect(run(back, 3).outages).toMatchObject([{ to: back[5]!.at }])
  })

  it("lets the regions of an applied check vote together", () => {
    const regions = [eu, us, ap]
    const slot = regions.map((region) => checkAt(0, region, u))
    const applied = (seconds: number, outcomes: ReadonlyArray<Outcome>) =>
      outcomes.map((outcome, index) => later(0, seconds, regions[index]!, outcome))
    expect(run([...slot, ...applied(10, [d, d, u]), ...applied(20, [d, d, u])], 1, { regions }).alerts).toBe(1)
    expect(run([...slot, ...applied(10, [d, u, u]), ...applied(20, [d, u, u])], 1, { regions }).alerts).toBe(0)
    // Only those of the proposed regions.
    expect(run([...slot, ...applied(10, [d, u, u]), ...applied(20, [d, u, u])], 1, { regions: [eu] }).alerts).toBe(1)
    expect(run([...slot, ...applied(10, [d, u, u]), ...applied(20, [d, u, u])], 1, { regions: [us] }).alerts).toBe(0)
  })

  it("takes repetitions that confirm a failure as the live machine does", () => {
    const regions = [eu, us, ap]
    const confirmed = [
      checkAt(0, eu, d),
      checkAt(0, us, d),
      checkAt(0, ap, u),
      later(0, 10, eu, d),
      later(0, 10, us, d),
      ...regions.map((region) => checkAt(1, region, u))
    ]
    expect(run(confirmed, 2, { regions, confirmAfterSec: 10 }).outages).toMatchObject([
      { from: confirmed[0]!.at, to: confirmed[5]!.at }
    ])
    const refuted = confirmed.map((check, index) => index === 4 ? { ...check, outcome: u } : check)
    expect(run(refuted, 2, { regions, confirmAfterSec: 10 }).alerts).toBe(0)
  })

  it.prop(
    "of one region makes the same transitions as the live machine",
    [
      fc.array(fc.constantFrom<Outcome>("up", "down", "degraded"), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 })
    ],
    ([outcomes, failureThreshold, recoveryThreshold]) => {
      const live = { ...rules, failureThreshold, recoveryThreshold }
      const checks = inEu(outcomes)
      const alone = { isAway: () => false, heardSince: () => false, listened: () => 0 }
      let machine = initialMachine(start, 1)
      const found: Array<readonly [string, number]> = []
      for (const check of checks) {
        const { at, id: checkId, ...rest } = check
        const now = at + 100
        const slot = slotAt(at, phase, intervalMs)
        const step = observe(machine, live, alone, { ...rest, at, checkId, monitorId, revision: 1, slot, trusted: true }, now)
        machine = step.machine
        found.push(...step.transitions.map(({ at: when, to }) => [to, when] as const))
      }
      const replay = makeReplay({ monitorId, rules: live, intervalSec: 60, degradedAfterMs: undefined, state: "pending", start })
      // In two parts, as the operation feeds it.
      replay.feed(checks.slice(0, 7))
      replay.feed(checks.slice(7))
      const end = start + outcomes.length * 60_000
      const spans = replay.finish(end)
      const shown = (list: ReadonlyArray<readonly [string, number]>) =>
        list.filter(([, at], index) => list[index + 1]?.[1] !== at)
      expect(spans.slice(1).map(({ startedAt, state }) => [state, startedAt])).toEqual(shown(found))
      const bad = spans.filter(({ state }) => state === "down").reduce(
        (sum, span) => sum + overlap(span, { from: start, to: end }),
        0
      )
      expect(summarize(spans, { from: start, to: end }).downMs).toBe(bad)
    }
  )
})
