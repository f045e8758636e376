import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck } from "effect"
import { PolicyId } from "../../../schema/Ids.ts"
import {
  type EscalationPlan,
  type EscalationStep,
  firstStep,
  policyFor,
  resumedStep,
  stepAfter
} from "../../../src/domain/oncall/Escalation.ts"
import { dueReminder, nextReminderAt } from "../../../src/domain/oncall/Reminders.ts"

const start = DateTime.unsafeMake("2026-11-20T08:00:00Z")
const plan: FastCheck.Arbitrary<EscalationPlan> = FastCheck.record({
  levels: FastCheck.array(FastCheck.record({ afterMinutes: FastCheck.integer({ min: 0, max: 1440 }) }), {
    minLength: 1,
    maxLength: 10
  }),
  repeat: FastCheck.integer({ min: 0, max: 5 }),
  repeatAfterMinutes: FastCheck.integer({ min: 1, max: 1440 })
})

/** All steps of a chain whose pages are late by so many minutes each. */
const chain = (of: EscalationPlan, late: number): ReadonlyArray<EscalationStep> => {
  const steps: Array<EscalationStep> = []
  for (let step: EscalationStep | null = firstStep(start); step !== null;) {
    steps.push(step)
    step = stepAfter(of, step, DateTime.add(step.at, { minutes: late }), true)
  }
  return steps
}

describe("an escalation", () => {
  it("pages each level once in each round, in order", () => {
    FastCheck.assert(FastCheck.property(plan, FastCheck.integer({ min: 0, max: 100 }), (one, late) => {
      const steps = chain(one, late)
      expect(steps.map(({ level, round }) => [round, level])).toEqual(
        Array.from({ length: one.repeat + 1 }, (_, round) => one.levels.map((_, level) => [round + 1, level + 1])).flat()
      )
    }))
  })

  it("waits from the page of the level before, even if that came late", () => {
    FastCheck.assert(FastCheck.property(plan, FastCheck.integer({ min: 0, max: 100 }), (one, late) => {
      for (const [index, step] of chain(one, late).entries()) {
        const next = stepAfter(one, step, DateTime.add(step.at, { minutes: late }), true)
        if (next === null) continue
        const wait = next.level === 1 ? one.repeatAfterMinutes : one.levels[next.level - 1]?.afterMinutes
        expect([index, DateTime.distance(step.at, next.at)]).toEqual([index, ((wait ?? 0) + late) * 60_000])
      }
    }))
  })

  it("does not wait after a level that reached nobody, but for the next round", () => {
    FastCheck.assert(FastCheck.property(plan, FastCheck.integer({ min: 1, max: 10 }), (one, level) => {
      const next = stepAfter(one, { level, round: 1, at: start }, start, false)
      if (next !== null) {
        expect(DateTime.distance(start, next.at)).toBe(next.level === 1 ? one.repeatAfterMinutes * 60_000 : 0)
      }
    }))
  })

  it("goes on where it stopped, and starts again if it had ended", () => {
    const waiting = { level: 2, round: 1, at: DateTime.add(start, { minutes: 10 }) }
    expect(resumedStep(waiting, start)).toEqual(waiting)
    const later = DateTime.add(start, { hours: 5 })
    expect(resumedStep(waiting, later)).toEqual({ ...waiting, at: later })
    expect(resumedStep(null, later)).toEqual(firstStep(later))
  })

  it("follows the policy of the monitor, else of a page, else the default; of several, the oldest", () => {
    const matches = (id: string, more: object) => ({
      id: PolicyId.make(id),
      ofMonitor: false,
      ofPage: false,
      isDefault: false,
      ...more
    })
    const policies = [
      matches("pol_4", { isDefault: true }),
      matches("pol_3", { ofMonitor: true }),
      matches("pol_2", { ofMonitor: true }),
      matches("pol_1", { ofPage: true })
    ]
    expect(policyFor(policies)).toBe("pol_2")
    expect(policyFor(policies.filter(({ ofMonitor }) => !ofMonitor))).toBe("pol_1")
    expect(policyFor(policies.slice(0, 1))).toBe("pol_4")
    expect(policyFor([matches("pol_5", {})])).toBeNull()
  })
})

describe("reminders", () => {
  const marks = FastCheck.array(FastCheck.integer({ min: 1, max: 200 }), { maxLength: 10 })
  const after = (minutes: number) => DateTime.add(start, { minutes })

  it("come once for each mark in time, and once for all marks that passed while no process ran", () => {
    FastCheck.assert(
      FastCheck.property(marks, FastCheck.array(FastCheck.integer({ min: 0, max: 40 }), { maxLength: 20 }), (marks, pauses) => {
        let reminded = 0
        let now = 0
        const sent: Array<number> = []
        for (const pause of pauses) {
          now += pause
          const due = dueReminder(marks, start, reminded, after(now))
          if (due === null) continue
          sent.push(due.afterMinutes)
          reminded = due.afterMinutes
          expect(dueReminder(marks, start, reminded, after(now))).toBeNull()
        }
        expect(sent).toEqual([...new Set(sent)].sort((a, b) => a - b))
        expect(reminded).toBe(Math.max(0, ...marks.filter((mark) => mark <= now)))
      })
    )
  })

  it("are due exactly when the next mark is reached", () => {
    FastCheck.assert(FastCheck.property(marks, FastCheck.integer({ min: 0, max: 200 }), (marks, reminded) => {
      const next = nextReminderAt(marks, start, reminded)
      if (next === null) return void expect(marks.every((mark) => mark <= reminded)).toBe(true)
      expect(dueReminder(marks, start, reminded, DateTime.subtract(next, { millis: 1 }))).toBeNull()
      expect(dueReminder(marks, start, reminded, next)).not.toBeNull()
    }))
  })
})
