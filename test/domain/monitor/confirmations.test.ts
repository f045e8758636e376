/** Rounds that confirm a failure before the next slot, over several regions. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Outcome } from "../../../schema/check/Check.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { CheckId, MonitorId } from "../../../schema/Ids.ts"
import type { Machine, Observation } from "../../../schema/monitor/Machine.ts"
import type { Rules } from "../../../schema/monitor/Monitor.ts"
import { phaseOf, slotStart } from "../../../src/domain/check/round/CheckSlot.ts"
import type { Attention } from "../../../src/domain/check/round/RegionWatch.ts"
import {
  apply,
  closeDue,
  initialMachine,
  lacksReport,
  nextDeadline,
  observe
} from "../../../src/domain/monitor/MonitorMachine.ts"

const monitorId = MonitorId.make("mon_00000000000000000000000001")
const [eu, us, ap] = ["eu", "us", "ap"].map((id) => RegionId.make(id)) as [RegionId, RegionId, RegionId]
const intervalMs = 60_000
const firstSlot = Math.ceil(1_700_000_000_000 / intervalMs)
const start = slotStart(firstSlot, phaseOf(monitorId, intervalMs), intervalMs)

const rules: Rules = {
  intervalSec: 60,
  timeoutMs: 10_000,
  failureThreshold: 2,
  recoveryThreshold: 1,
  confirmAfterSec: 5,
  failureRate: null,
  regions: [eu, us, ap]
}

const without = (...gone: ReadonlyArray<RegionId>): Attention => ({
  isAway: (region) => gone.includes(region),
  heardSince: () => false,
  listened: (from, now) => now - from
})
const everybody = without()

interface Seen {
  readonly region: RegionId
  readonly outcome: Outcome
  /** The slot, counted from the first. */
  readonly slot?: number
  readonly attempt?: number
  /** When the check began, s after the start of its slot. */
  readonly after?: number
  readonly trusted?: boolean
}

const check = ({ after, attempt = 0, outcome, region, slot = 0, trusted = true }: Seen): Observation => ({
  checkId: CheckId.make(`chk_${slot}_${attempt}_${region}`),
  monitorId,
  revision: 1,
  region,
  slot: firstSlot + slot,
  ...(attempt === 0 ? {} : { attempt }),
  at: start + slot * intervalMs + (after ?? attempt * 5) * 1000,
  outcome,
  statusCode: null,
  latencyMs: 10,
  error: null,
  cause: null,
  hasEvidence: false,
  trusted
})

interface Run {
  readonly machine: Machine
  readonly states: ReadonlyArray<string>
}

const begin: Run = { machine: initialMachine(start, 1), states: [] }

/** The checks in the order in which they arrive, each as soon as it began. */
const feed = (list: ReadonlyArray<Seen>, attention: Attention = everybody, these: Rules = rules, from: Run = begin): Run =>
  list.map(check).reduce<Run>((run, one) => {
    const step = observe(run.machine, these, attention, one, one.at)
    return { machine: step.machine, states: [...run.states, ...step.transitions.map(({ to }) => to)] }
  }, from)

const all = (outcomes: ReadonlyArray<Outcome>, more: Partial<Seen> = {}): ReadonlyArray<Seen> =>
  outcomes.map((outcome, index) => ({ region: [eu, us, ap][index] ?? eu, outcome, ...more }))

describe("a failed round with confirmAfterSec", () => {
  it("is confirmed by the regions that saw it, and takes the monitor down within the slot", () => {
    const run = feed([...all(["down", "down", "up"]), ...all(["down", "down"], { attempt: 1 })])
    expect(run.states).toEqual(["down"])
    expect(run.machine.since).toBe(start)
  })

  it("is refuted as soon as the failure is no longer that of a majority", () => {
    const run = feed([...all(["down", "down", "up"]), { region: eu, outcome: "up", attempt: 1 }])
    expect(run.states).toEqual(["up"])
    expect(run.machine).toMatchObject({ failures: 0, rounds: [] })
  })

  it("does not wait for a region whose report changes nothing", () => {
    const five = { ...rules, regions: [eu, us, ap, RegionId.make("sa"), RegionId.make("af")] }
    const five0 = five.regions.map((region) => ({ region, outcome: "down" as const }))
    const run = feed([...five0, ...five0.slice(0, 3).map((one) => ({ ...one, attempt: 1 }))], everybody, five)
    expect(run.states).toEqual(["down"])
  })

  it("needs as many confirmations as the threshold", () => {
    const thrice = { ...rules, failureThreshold: 3, regions: [eu] }
    const twice = feed(
      [{ region: eu, outcome: "down" }, { region: eu, outcome: "down", attempt: 1 }],
      everybody,
      thrice
    )
    expect(twice.states).toEqual([])
    expect(feed([{ region: eu, outcome: "down", attempt: 2 }], everybody, thrice, twice).states).toEqual(["down"])
    // The next slot's own check confirms as well.
    expect(feed([{ region: eu, outcome: "down", slot: 1 }], everybody, thrice, twice).states).toEqual(["down"])
  })

  it("ignores the repetition of a region that was alone with its failure", () => {
    const quiet = feed(all(["down", "up", "up"]))
    const again = check({ region: eu, outcome: "down", attempt: 1 })
    expect(observe(quiet.machine, rules, everybody, again, again.at).machine).toBe(quiet.machine)
  })

  it("keeps repetitions that arrive before the round that they confirm is closed", () => {
    const early = feed([
      { region: eu, outcome: "down" },
      { region: us, outcome: "down" },
      { region: eu, outcome: "down", attempt: 1 },
      { region: us, outcome: "down", attempt: 1 }
    ])
    expect(early.states).toEqual([])
    const slow = check({ region: ap, outcome: "down", after: 10 })
    const step = observe(early.machine, rules, everybody, slow, slow.at)
    expect(step.transitions.map(({ to }) => to)).toEqual(["down"])
    expect(step.machine.rounds).toEqual([])
  })

  it("drops those repetitions if the round did not fail", () => {
    const early = feed([
      { region: eu, outcome: "down" },
      { region: us, outcome: "up" },
      { region: eu, outcome: "down", attempt: 1 }
    ])
    const step = feed([{ region: ap, outcome: "up", after: 10 }], everybody, rules, early)
    expect(step.states).toEqual(["up"])
    expect(step.machine).toMatchObject({ failures: 0, rounds: [] })
  })

  it("lets the last vote of a region stand that does not report again in time, and waits for no other", () => {
    const waiting = feed([...all(["down", "down", "up"]), { region: eu, outcome: "down", attempt: 1 }])
    expect(waiting.states).toEqual([])
    const deadline = nextDeadline(waiting.machine, everybody, start + 6000)
    // Two timeouts of 10 s, a rest of 5 s between them, and 3 s for transport.
    expect(deadline).toBe(start + 28_000)
    expect(lacksReport(waiting.machine, rules, everybody, start + 60_000)).toBe(false)
    expect(closeDue(waiting.machine, rules, everybody, start + 27_999).transitions).toEqual([])
    expect(closeDue(waiting.machine, rules, everybody, start + 28_000).transitions.map(({ to }) => to)).toEqual(["down"])
  })

  it("is not confirmed by what regions saw before, without one that sees it again", () => {
    const waiting = feed([...all(["down", "down", "down"]), { region: ap, outcome: "up", attempt: 1 }])
    expect(waiting.states).toEqual([])
    const closed = closeDue(waiting.machine, rules, everybody, start + 28_000)
    expect(closed.transitions).toEqual([])
    expect(closed.machine).toMatchObject({ failures: 1, rounds: [] })
    const late = { region: eu, outcome: "down", attempt: 1, after: 29 } as const
    expect(feed([late], everybody, rules, { machine: closed.machine, states: [] }).states).toEqual([])
    const next = all(["down", "down", "up"], { slot: 1 })
    expect(feed(next, everybody, rules, { machine: closed.machine, states: [] }).states).toEqual(["down"])
  })

  it("gives a region that vanished meanwhile no say", () => {
    const waiting = feed([...all(["down", "down", "up"]), { region: eu, outcome: "down", attempt: 1 }])
    // One of two remaining regions is no majority.
    expect(closeDue(waiting.machine, rules, without(us), start + 7000).transitions.map(({ to }) => to)).toEqual(["up"])
    expect(closeDue(waiting.machine, rules, without(us, ap), start + 7000).transitions.map(({ to }) => to)).toEqual(["down"])
  })

  it("takes no repetition from a probe that distrusts itself", () => {
    const failing = feed(all(["down", "down", "up"]))
    const distrusted = check({ region: eu, outcome: "up", attempt: 1, trusted: false })
    expect(observe(failing.machine, rules, everybody, distrusted, distrusted.at).machine).toBe(failing.machine)
  })

  it("leaves no confirmation open once the next slot is decided", () => {
    const late = feed([
      ...all(["down", "down", "up"]),
      { region: eu, outcome: "down", attempt: 1 },
      ...all(["up", "up", "up"], { slot: 1 })
    ])
    expect(late.machine).toMatchObject({ rounds: [], failures: 0, state: "up" })
    const stale = check({ region: us, outcome: "down", attempt: 1, after: 61 })
    expect(observe(late.machine, rules, everybody, stale, stale.at).machine).toBe(late.machine)
  })

  it("ends with the decision of a check on demand", () => {
    const failing = feed(all(["down", "down", "up"]))
    const byHand = { ...check({ region: eu, outcome: "up", after: 3 }), slot: -1 }
    const applied = apply(failing.machine, rules, [byHand], 0, byHand.at)
    const after = feed(all(["down", "down"], { attempt: 1 }), everybody, rules, { machine: applied.machine, states: [] })
    expect(after.machine).toBe(applied.machine)
  })

  it("goes down only if a majority failed in each of as many rounds, whatever arrives and in whatever order", () => {
    const outcome = fc.constantFrom<Outcome>("up", "down", "degraded")
    const seen = fc.record({
      region: fc.constantFrom(eu, us, ap),
      outcome,
      slot: fc.nat(3),
      attempt: fc.nat(2),
      trusted: fc.constantFrom(true, true, true, false)
    })
    // One region alone failed, two slots before all saw the monitor up.
    const overtaken: [Array<typeof seen extends fc.Arbitrary<infer Seen> ? Seen : never>, number] = [
      [
        { region: ap, outcome: "up", slot: 2, attempt: 0, trusted: true },
        { region: eu, outcome: "down", slot: 0, attempt: 0, trusted: true },
        { region: eu, outcome: "up", slot: 2, attempt: 0, trusted: true },
        { region: us, outcome: "up", slot: 2, attempt: 0, trusted: true }
      ],
      1
    ]
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), (list, failureThreshold) => {
        const these = { ...rules, failureThreshold }
        let machine = initialMachine(start, 1)
        list.map(check).forEach((one, index) => {
          const step = observe(machine, these, everybody, one, one.at)
          if (step.transitions.some(({ to }) => to === "down")) {
            const seenSoFar = list.slice(0, index + 1)
            const heard = seenSoFar.filter(({ outcome, trusted }) => trusted && outcome === "down")
            const rounds = new Set(heard.map(({ attempt, slot }) => `${slot}/${attempt}`))
            const regions = new Set(heard.map(({ region }) => region))
            expect(rounds.size).toBeGreaterThanOrEqual(failureThreshold)
            // A region whose probe distrusts itself has no vote in the round, and the others decide alone.
            const distrusting = new Set(seenSoFar.filter(({ trusted }) => !trusted).map(({ region }) => region))
            expect(2 * regions.size).toBeGreaterThan(rules.regions.length - distrusting.size)
            expect(regions.size).toBeGreaterThan(0)
          }
          // What a restart reads back is what was in memory.
          machine = JSON.parse(JSON.stringify(step.machine))
          expect(machine).toEqual(step.machine)
        })
        expect(machine.rounds.length).toBeLessThanOrEqual(12)
      }),
      { numRuns: 1000, examples: [overtaken] }
    )
  })

  it("changes nothing when repetitions are delivered twice", () => {
    const list = [
      ...all(["down", "down", "up"]),
      ...all(["down", "up"], { attempt: 1 }),
      ...all(["down", "down", "up"], { slot: 1 })
    ]
    const twice = list.flatMap((one) => [one, one])
    expect(feed(twice).states).toEqual(feed(list).states)
  })
})
