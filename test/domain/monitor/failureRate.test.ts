/** The failure rate: a target that fails now and then is down although it never fails often in a row. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Outcome } from "../../../schema/check/Check.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { CheckId, MonitorId } from "../../../schema/Ids.ts"
import type { Machine, Observation } from "../../../schema/monitor/Machine.ts"
import type { FailureRate, Rules } from "../../../schema/monitor/Monitor.ts"
import { judge } from "../../../src/domain/monitor/JudgeRound.ts"
import { initialMachine, revise } from "../../../src/domain/monitor/MonitorMachine.ts"

const start = 1_700_000_000_000

const rulesOf = (failureRate: FailureRate | null, given: Partial<Rules> = {}): Rules => ({
  intervalSec: 60,
  timeoutMs: 10_000,
  failureThreshold: 3,
  recoveryThreshold: 1,
  confirmAfterSec: null,
  failureRate,
  regions: [],
  ...given
})

const check = (round: number, outcome: Outcome): Observation => ({
  checkId: CheckId.make(`chk_${round}`),
  monitorId: MonitorId.make("mon_00000000000000000000000001"),
  revision: 1,
  region: RegionId.make("eu"),
  slot: round,
  at: start + round * 60_000,
  outcome,
  statusCode: null,
  latencyMs: 10,
  error: null,
  cause: null,
  hasEvidence: false,
  trusted: true
})

/** The state after each round; u, d and s stand for up, down and slow. */
const states = (rules: Rules, rounds: string, from: Machine = initialMachine(start, 1)) => {
  const outcomes = { u: "up", d: "down", s: "degraded" } as const
  let machine = from
  const after = [...rounds].map((letter, round) => {
    const outcome = outcomes[letter as "u" | "d" | "s"]
    machine = judge(machine, rules, { outcome, check: check(round, outcome) }).machine
    return machine.state
  })
  return { after, machine, end: after.at(-1) }
}

describe("a failure rate", () => {
  it("takes a target down that fails every second time, and keeps it down as long as it does", () => {
    const rate = rulesOf({ failures: 4, of: 10 })
    expect(states(rulesOf(null), "udududududud").after).not.toContain("down")
    const { after } = states(rate, "ududududududududud")
    expect(after.indexOf("down")).toBe(7)
    expect(after.slice(7).every((state) => state === "down")).toBe(true)
  })

  it("ends once fewer of the last rounds have failed, and enough were good in a row", () => {
    const rate = rulesOf({ failures: 2, of: 4 })
    expect(states(rate, "udud").end).toBe("down")
    expect(states(rate, "ududu").end).toBe("down")
    expect(states(rate, "ududuu").end).toBe("up")
    expect(states(rulesOf({ failures: 2, of: 4 }, { recoveryThreshold: 4 }), "ududuuu").end).toBe("down")
    expect(states(rulesOf({ failures: 2, of: 4 }, { recoveryThreshold: 4 }), "ududuuuu").end).toBe("up")
  })

  it("does not prolong an outage in which every round failed", () => {
    expect(states(rulesOf({ failures: 5, of: 10 }), "uddddddddddddu").end).toBe("up")
  })

  it("counts no slow rounds, and starts again after an edit", () => {
    expect(states(rulesOf({ failures: 2, of: 4 }), "dsss").end).toBe("degraded")
    const rate = rulesOf({ failures: 2, of: 4 })
    const edited = revise(states(rate, "ud").machine, 2, false, start).machine
    expect(states(rate, "ud", edited).end).toBe("up")
    expect(states(rate, "ud", states(rate, "ud").machine).end).toBe("down")
  })

  it("is exactly the rule: never down with fewer failures, always down with so many", () => {
    const rounds = fc.array(fc.constantFrom("u", "d", "s"), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.nat(6), rounds, (failures, more, list) => {
        const of = failures + more
        const { after, machine } = states(rulesOf({ failures, of }, { failureThreshold: 50 }), list.join(""))
        list.forEach((_, round) => {
          const recent = list.slice(Math.max(0, round + 1 - of), round + 1).filter((letter) => letter === "d").length
          if (recent >= failures) expect(after[round]).toBe("down")
          else if (list[round] !== "d" || after[round - 1] !== "down") expect(after[round]).not.toBe("down")
        })
        expect(machine.recent?.length ?? 0).toBeLessThanOrEqual(of)
      })
    )
  })
})
