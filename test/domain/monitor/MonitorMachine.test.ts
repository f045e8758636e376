/** The laws of the monitor's state machine. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Outcome } from "../../../schema/check/Check.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { CheckId, MonitorId } from "../../../schema/Ids.ts"
import type { Machine, Observation } from "../../../schema/monitor/Machine.ts"
import type { Rules } from "../../../schema/monitor/Monitor.ts"
import { phaseOf, slotStart } from "../../../src/domain/check/round/CheckSlot.ts"
import type { Attention } from "../../../src/domain/check/round/RegionWatch.ts"
import { vote } from "../../../src/domain/check/round/Vote.ts"
import type { Transition } from "../../../src/domain/monitor/JudgeRound.ts"
import {
  apply,
  closeDue,
  initialMachine,
  lacksReport,
  nextDeadline,
  observe,
  observedUntil,
  revise,
  type Step,
  takeOver
} from "../../../src/domain/monitor/MonitorMachine.ts"

const monitorId = MonitorId.make("mon_00000000000000000000000001")
const [eu, us, ap] = ["eu", "us", "ap"].map((id) => RegionId.make(id)) as [RegionId, RegionId, RegionId]
const start = 1_700_000_000_000

const rulesOf = (given: Partial<Rules> = {}): Rules => ({
  intervalSec: 60,
  timeoutMs: 10_000,
  failureThreshold: 2,
  recoveryThreshold: 1,
  confirmAfterSec: null,
  failureRate: null,
  regions: [eu],
  ...given
})

const baseSlot = Math.ceil(start / 60_000)
const slotTime = (slot: number, rules: Rules) =>
  slotStart(slot, phaseOf(monitorId, rules.intervalSec * 1000), rules.intervalSec * 1000)

const observation = (
  rules: Rules,
  round: number,
  region: RegionId,
  outcome: Outcome,
  more: Partial<Observation> = {}
): Observation => ({
  checkId: CheckId.make(`chk_${round}_${region}`),
  monitorId,
  revision: 1,
  region,
  slot: baseSlot + round,
  at: slotTime(baseSlot + round, rules),
  outcome,
  statusCode: null,
  latencyMs: 10,
  error: null,
  cause: null,
  hasEvidence: false,
  trusted: true,
  ...more
})

interface Run {
  readonly machine: Machine
  readonly transitions: ReadonlyArray<Transition>
  readonly gaps: Step["gaps"]
}

/** A runner that has listened for long and knows that these regions are gone. */
const without = (...gone: ReadonlyArray<RegionId>): Attention => ({
  isAway: (region) => gone.includes(region),
  heardSince: () => false,
  listened: (from, now) => now - from
})
const everybody = without()

const begin: Run = { machine: initialMachine(start, 1), transitions: [], gaps: [] }
const then = (run: Run, step: Step): Run => ({
  machine: step.machine,
  transitions: [...run.transitions, ...step.transitions],
  gaps: [...run.gaps, ...step.gaps]
})

const feed = (rules: Rules, checks: ReadonlyArray<Observation>, attention: Attention = everybody): Run =>
  checks.reduce<Run>(
    (run, check, index) =>
      then(run, observe(run.machine, rules, attention, check, Math.max(...checks.slice(0, index + 1).map(({ at }) => at)))),
    begin
  )

const outcomes = (rules: Rules, list: ReadonlyArray<Outcome>) =>
  feed(rules, list.map((outcome, round) => observation(rules, round, eu, outcome)))

const states = (run: Run) => run.transitions.map((transition) => transition.to)

const anyOutcome = fc.constantFrom<Outcome>("up", "degraded", "down")
const anyRules = fc.record({
  failureThreshold: fc.integer({ min: 1, max: 10 }),
  recoveryThreshold: fc.integer({ min: 1, max: 10 })
})
  .map(rulesOf)

describe("one region", () => {
  it("goes down only after failureThreshold failures in a row, whatever came before", () => {
    fc.assert(fc.property(anyRules, fc.array(anyOutcome, { maxLength: 60 }), (rules, list) => {
      const run = outcomes(rules, list)
      for (const transition of run.transitions.filter(({ to }) => to === "down")) {
        const end = list.findIndex((_, round) => observation(rules, round, eu, "up").checkId === transition.check?.checkId)
        const streak = list.slice(Math.max(0, end - rules.failureThreshold + 1), end + 1)
        expect(streak).toEqual(new Array(rules.failureThreshold).fill("down"))
      }
    }))
  })

  it("is down after enough failures at the end, never missing an outage", () => {
    fc.assert(fc.property(anyRules, fc.array(anyOutcome, { maxLength: 40 }), (rules, list) => {
      const run = outcomes(rules, [...list, ...new Array<Outcome>(rules.failureThreshold).fill("down")])
      expect(run.machine.state).toBe("down")
    }))
  })

  it("is up after enough successes at the end", () => {
    fc.assert(fc.property(anyRules, fc.array(anyOutcome, { maxLength: 40 }), (rules, list) => {
      const run = outcomes(rules, [...list, ...new Array<Outcome>(rules.recoveryThreshold).fill("up")])
      expect(run.machine.state).toBe("up")
    }))
  })

  it("reports each change once: every transition starts where the previous one ended", () => {
    fc.assert(fc.property(anyRules, fc.array(anyOutcome, { maxLength: 60 }), (rules, list) => {
      const run = outcomes(rules, list)
      let at = "pending"
      for (const transition of run.transitions) {
        expect(transition.from).toBe(at)
        expect(transition.to).not.toBe(at)
        at = transition.to
      }
      expect(run.machine.state).toBe(at)
    }))
  })

  it("changes nothing when checks are redelivered, in any mix of repeats", () => {
    fc.assert(
      fc.property(
        anyRules,
        fc.array(anyOutcome, { minLength: 1, maxLength: 30 }),
        fc.infiniteStream(fc.nat(29)),
        (rules, list, stream) => {
          const checks = list.map((outcome, round) => observation(rules, round, eu, outcome))
          const picks = stream[Symbol.iterator]()
          const repeated = checks.flatMap((check, round) => [check, checks[(picks.next().value ?? 0) % (round + 1)] ?? check])
          expect(states(feed(rules, repeated))).toEqual(states(feed(rules, checks)))
        }
      )
    )
  })

  it("dates an outage back to the first failure of its streak", () => {
    const rules = rulesOf({ failureThreshold: 3 })
    const run = outcomes(rules, ["up", "down", "down", "down"])
    expect(run.transitions.at(-1)).toMatchObject({ to: "down", at: slotTime(baseSlot + 1, rules) })
  })

  it("reports a slow recovery first as up and then as degraded", () => {
    expect(states(outcomes(rulesOf(), ["up", "down", "down", "degraded"]))).toEqual(["up", "down", "up", "degraded"])
  })

  it("ignores results of other settings, of another region and of an unhealthy probe", () => {
    const rules = rulesOf({ failureThreshold: 1 })
    const run = feed(rules, [
      observation(rules, 0, eu, "up"),
      observation(rules, 1, eu, "down", { revision: 2 }),
      observation(rules, 1, us, "down"),
      observation(rules, 1, eu, "down", { trusted: false })
    ])
    expect(run.machine.state).toBe("up")
  })

  it("hears the check that its probe repeats in the slot of one that did not count", () => {
    const rules = rulesOf({ failureThreshold: 1 })
    const cutOff = observation(rules, 1, eu, "down", { trusted: false })
    const again = observation(rules, 1, eu, "down", { checkId: CheckId.make("chk_again") })
    const run = feed(rules, [observation(rules, 0, eu, "up"), cutOff, cutOff, again, { ...again, outcome: "up" }])
    expect(run.transitions.map(({ check, to }) => [to, check?.checkId])).toEqual([["up", "chk_0_eu"], ["down", "chk_again"]])
  })
})

describe("several regions", () => {
  const rules = rulesOf({ regions: [eu, us, ap], failureThreshold: 1 })
  const round = (number: number, ...list: ReadonlyArray<Outcome>) =>
    list.map((outcome, index) => observation(rules, number, [eu, us, ap][index]!, outcome))

  it("is down when two of three regions see a failure, but not when one does", () => {
    expect(feed(rules, round(0, "down", "down", "up")).machine.state).toBe("down")
    expect(feed(rules, round(0, "down", "up", "up")).machine.state).toBe("up")
  })

  it("does not treat a tie as an outage", () => {
    expect(feed({ ...rules, regions: [eu, us] }, round(0, "down", "up")).machine.state).toBe("up")
  })

  it("reaches the same verdict in whatever order the regions report", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyOutcome, anyOutcome, anyOutcome), { maxLength: 12 }), fc.integer(), (list, seed) => {
        const ordered = list.map((outcomes, number) => round(number, ...outcomes))
        const shuffled = ordered.map((checks, index) => (index + seed) % 2 === 0 ? checks : [...checks].reverse())
        expect(states(feed(rules, shuffled.flat()))).toEqual(states(feed(rules, ordered.flat())))
      })
    )
  })

  it("needs strictly more than half of the votes for down", () => {
    fc.assert(fc.property(fc.array(anyOutcome, { minLength: 1, maxLength: 10 }), (list) => {
      const votes = list.map((outcome, index) => observation(rules, 0, RegionId.make(`r${index}`), outcome))
      const downs = list.filter((outcome) => outcome === "down").length
      expect(vote(votes, 0)?.outcome === "down").toBe(downs * 2 > list.length)
    }))
  })

  it("reaches no verdict that missing votes could change", () => {
    fc.assert(
      fc.property(fc.array(anyOutcome, { minLength: 1, maxLength: 6 }), fc.array(anyOutcome, { maxLength: 4 }), (list, late) => {
        const votes = [...list, ...late].map((outcome, index) => observation(rules, 0, RegionId.make(`r${index}`), outcome))
        const early = vote(votes.slice(0, list.length), late.length)
        if (early !== null) expect(early.outcome === "down").toBe(vote(votes, 0)?.outcome === "down")
      })
    )
  })

  it("gives an unhealthy probe no vote, and does not wait for it", () => {
    const sick = round(0, "down", "down", "up").map((check, index) => index === 0 ? { ...check, trusted: false } : check)
    expect(feed(rules, sick).machine).toMatchObject({ state: "up", rounds: [] })
    const allSick = feed(rules, round(0, "down", "down", "down").map((check) => ({ ...check, trusted: false })))
    expect(allSick.machine).toMatchObject({ state: "pending", rounds: [], lastRoundAt: null })
  })

  it("takes the check that a region repeats in place of its check that did not count", () => {
    const [first, second, third] = round(0, "down", "down", "up")
    const run = feed(rules, [{ ...first!, trusted: false }, second!, { ...first!, checkId: CheckId.make("chk_again") }, third!])
    expect(run.machine.state).toBe("down")
  })

  it("waits for a healthy region that is late, then closes the round without it", () => {
    const run = feed(rules, round(0, "down", "down"))
    expect(run.machine.state).toBe("pending")
    const deadline = nextDeadline(run.machine, everybody, start)
    expect(deadline).toBe(slotTime(baseSlot, rules) + rules.timeoutMs + 3000)
    expect(closeDue(run.machine, rules, everybody, deadline! - 1).transitions).toEqual([])
    expect(closeDue(run.machine, rules, everybody, deadline!).machine.state).toBe("down")
  })

  it("does not wait for a region that is cut off", () => {
    expect(feed(rules, round(0, "down", "down"), without(ap)).machine.state).toBe("down")
  })

  it("waits for a region that is cut off now if it was there in the round: a backlog may hold its report", () => {
    const two = { ...rules, regions: [eu, us] }
    const later = slotTime(baseSlot, rules) + 40_000
    const fellSilentAt = (at: number): Attention => ({
      ...without(us),
      heardSince: (region, since) => region === us && at > since
    })
    const [down, up] = round(0, "down", "up")
    const first = observe(begin.machine, two, fellSilentAt(down!.at + 1), down!, later)
    expect(first.transitions).toEqual([])
    expect(observe(first.machine, two, fellSilentAt(down!.at + 1), up!, later).transitions).toMatchObject([{ to: "up" }])
    expect(closeDue(first.machine, two, fellSilentAt(down!.at + 1), later + 33_000).transitions).toMatchObject([{ to: "down" }])
    expect(lacksReport(first.machine, two, fellSilentAt(down!.at + 1), later + 5000)).toBe(false)
    expect(observe(begin.machine, two, fellSilentAt(down!.at), down!, later).transitions).toMatchObject([{ to: "down" }])
  })

  it("does not treat a single vote as a majority, neither of three regions nor of two", () => {
    for (const regions of [[eu, us], [eu, us, ap]]) {
      const these = { ...rules, regions }
      const run = feed(these, round(0, "down"))
      const deadline = nextDeadline(run.machine, everybody, start)!
      expect(closeDue(run.machine, these, everybody, deadline).machine).toBe(run.machine)
      expect(nextDeadline(run.machine, everybody, deadline)).toBe(deadline + 30_000)
      // The others report after all.
      expect(observe(run.machine, these, everybody, round(0, "down", "up")[1]!, deadline + 5000).transitions)
        .toMatchObject(regions.length === 2 ? [{ to: "up" }] : [])
    }
  })

  it("lets the received votes decide once the others are known to be gone, or after 30 s of silence", () => {
    const run = feed(rules, round(0, "down"))
    const deadline = nextDeadline(run.machine, everybody, start)!
    expect(closeDue(run.machine, rules, without(us, ap), deadline + 4000).machine.state).toBe("down")
    expect(closeDue(run.machine, rules, everybody, deadline + 29_999).machine.state).toBe("pending")
    expect(closeDue(run.machine, rules, everybody, deadline + 30_000).machine.state).toBe("down")
  })

  it("does not count time in which missing regions could not be heard", () => {
    const run = feed(rules, round(0, "down"))
    const deadline = nextDeadline(run.machine, everybody, start)!
    const deaf: Attention = { ...everybody, listened: () => 0 }
    expect(closeDue(run.machine, rules, deaf, deadline + 600_000).machine).toBe(run.machine)
    const again: Attention = { ...everybody, listened: (_, now) => now - (deadline + 600_000) }
    expect(nextDeadline(run.machine, again, deadline + 600_000)).toBe(deadline + 630_000)
    expect(closeDue(run.machine, rules, again, deadline + 629_999).machine).toBe(run.machine)
    expect(closeDue(run.machine, rules, again, deadline + 630_000).machine.state).toBe("down")
  })

  it("waits again for missing votes in rounds that another runner started", () => {
    const run = feed(rules, round(0, "down"))
    const later = start + 600_000
    const taken = takeOver(run.machine, later)
    expect(closeDue(taken, rules, everybody, later).machine).toBe(taken)
    expect(nextDeadline(taken, everybody, later)).toBe(later + 3000)
    expect(closeDue(taken, rules, everybody, later + 33_000).machine.state).toBe("down")
  })

  it("does not decide an older open round because a newer one is complete", () => {
    const failing = feed(rules, [...round(0, "up", "up", "up"), ...round(1, "down"), ...round(2, "down", "up", "up")])
    expect(failing.machine).toMatchObject({ state: "up", rounds: [] })
  })

  it("votes on a backlog processed late as if it had arrived in time", () => {
    const checks = [round(0, "up", "up", "up"), round(1, "down", "up", "up"), round(2, "down", "up", "up")].flat()
    const late = checks.reduce<Run>(
      (run, check) => then(run, observe(run.machine, rules, everybody, check, start + 86_400_000)),
      begin
    )
    expect(states(late)).toEqual(["up"])
  })

  it("ignores a vote after its round closed", () => {
    const run = feed(rules, [...round(0, "up", "up", "up"), ...round(1, "up", "up", "up")])
    const late = observe(run.machine, rules, everybody, observation(rules, 0, eu, "down"), start)
    expect(late.machine).toBe(run.machine)
  })
})

describe("pausing, editing and silence", () => {
  const rules = rulesOf({ failureThreshold: 1 })

  it("pauses from any state, ignores checks while paused, and starts fresh", () => {
    const down = outcomes(rules, ["down"])
    const paused = revise(down.machine, 2, true, start + 1)
    expect(paused.transitions).toMatchObject([{ from: "down", to: "paused", check: null }])
    expect(observe(paused.machine, rules, everybody, observation(rules, 5, eu, "up", { revision: 2 }), start).machine)
      .toBe(paused.machine)
    const resumed = revise(paused.machine, 3, false, start + 2)
    expect(resumed.machine).toMatchObject({ state: "pending", revision: 3, failures: 0 })
  })

  it("discards a streak that older settings began", () => {
    const twice = rulesOf({ failureThreshold: 2 })
    const failing = outcomes(twice, ["up", "down"])
    const edited = revise(failing.machine, 2, false, start).machine
    const next = observe(edited, twice, everybody, observation(twice, 9, eu, "down", { revision: 2 }), start)
    expect(next.machine.state).toBe("up")
  })

  it("marks time without checks as unobserved and keeps the state", () => {
    const run = feed(rules, [observation(rules, 0, eu, "up"), observation(rules, 60, eu, "up")])
    expect(run.gaps).toEqual([{ from: slotTime(baseSlot + 1, rules), to: slotTime(baseSlot + 60, rules) }])
    expect(run.machine.state).toBe("up")
  })

  it("recovers after a probe's clock was far ahead for a moment", () => {
    const ahead = feed(rules, [observation(rules, 0, eu, "up")]).machine
    const astray = observe(ahead, rules, everybody, observation(rules, 60, eu, "up"), start + 60_000).machine
    expect(astray.lastSlot).toBe(baseSlot + 60)
    const again = observe(astray, rules, everybody, observation(rules, 2, eu, "down"), start + 120_000)
    expect(again.machine).toMatchObject({ state: "down", lastSlot: baseSlot + 2 })
    // Even then, the same check does not count twice.
    expect(observe(again.machine, rules, everybody, observation(rules, 2, eu, "up"), start + 125_000).machine).toBe(again.machine)
  })

  it("keeps no vote for a round in the far future, because it says nothing about that time", () => {
    const three = rulesOf({ regions: [eu, us, ap] })
    const step = observe(initialMachine(start, 1), three, everybody, observation(three, 60, eu, "down"), start)
    expect(step.machine.rounds).toEqual([])
  })

  it("stops claiming observation when checks stop", () => {
    expect(observedUntil(start, rules, start + 100_000)).toBe(start + 100_000)
    expect(observedUntil(start, rules, start + 600_000)).toBe(start + 60_000)
  })

  it("lets manual checks decide immediately, but not while paused", () => {
    const later = start + 120_000
    const up = outcomes(rules, ["up"])
    expect(apply(up.machine, rules, [observation(rules, 0, eu, "down", { slot: -1 })], 0, later).machine.state).toBe("down")
    expect(apply(up.machine, rules, [observation(rules, 0, eu, "down", { slot: -1 })], 2, later).transitions).toEqual([])
    const paused = revise(up.machine, 2, true, start).machine
    expect(apply(paused, rules, [observation(rules, 0, eu, "down", { slot: -1 })], 0, later).transitions).toEqual([])
  })

  it("keeps the decision of a manual check when scheduled checks that ran before it arrive later", () => {
    const once = rulesOf({ failureThreshold: 1 })
    const byHand = (outcome: Outcome, at: number) => [observation(once, 0, eu, outcome, { slot: -1, at })]
    fc.assert(fc.property(
      fc.constantFrom<Outcome>("up", "down", "degraded"),
      fc.constantFrom<Outcome>("up", "down", "degraded"),
      fc.integer({ min: -3, max: 0 }),
      fc.integer({ min: 0, max: 59_999 }),
      (scheduled, applied, round, into) => {
        const at = slotTime(baseSlot, once) + into
        const decided = apply(initialMachine(start, 1), once, byHand(applied, at), 0, at + 500)
        const after = observe(decided.machine, once, everybody, observation(once, round, eu, scheduled), at + 1000)
        expect(after.machine).toBe(decided.machine)
        const next = observe(decided.machine, once, everybody, observation(once, 1, eu, scheduled), at + 60_000)
        expect([next.machine.state, next.machine.lastSlot]).toEqual([scheduled, baseSlot + 1])
      }
    ))
  })

  it("closes no slot of the future for a manual check of a region whose clock is ahead", () => {
    const now = slotTime(baseSlot, rules) + 1000
    const check = observation(rules, 0, eu, "up", { slot: -1, at: now + 600_000 })
    expect(apply(initialMachine(start, 1), rules, [check], 0, now).machine.lastSlot).toBe(baseSlot)
  })
})
