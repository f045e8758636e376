/**
 * The promise of the default settings, in simulated time: a short blip alerts nobody, and an outage alerts once and in time,
 * whatever the interval, the timeout, the moment and the regions.
 */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { CheckId } from "../../schema/Ids.ts"
import type { Rules } from "../../schema/monitor/Monitor.ts"
import type { Attention } from "../../src/domain/check/round/RegionWatch.ts"
import { confirmationOf, usualConfirmAfter } from "../../src/domain/monitor/Confirmation.ts"
import type { Transition } from "../../src/domain/monitor/JudgeRound.ts"
import { closeDue, initialMachine, nextDeadline, observe, type Step } from "../../src/domain/monitor/MonitorMachine.ts"
import { makeProbeSchedule, type ScheduledMonitor } from "../../src/probe/ProbeSchedule.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { makeChoices, regionIds, start } from "./World.ts"

/** As often as a worker looks for due checks. */
const tickMs = 250

/** The longest processing between the end of a check and the verdict, ms. */
const slackMs = 4 * tickMs

const everybody: Attention = { isAway: () => false, heardSince: () => false, listened: (from, now) => now - from }

interface Course {
  readonly rules: Rules
  /** When the target fails, ms from the start. */
  readonly failsFrom: number
  readonly failsTo: number
  /** How long a check of the working target takes, and one that fails, ms. */
  readonly goodMs: number
  readonly badMs: number
  /** The distance between the clocks of the regions, ms. */
  readonly skewMs: number
  readonly seed: number
}

interface Looking {
  readonly monitor: ScheduledMonitor
  readonly begunAt: number
  readonly endsAt: number
  readonly isDown: boolean
}

/** A check fails if the target fails at any time while it waits for an answer. */
const look = ({ badMs, failsFrom, failsTo, goodMs }: Course, monitor: ScheduledMonitor, begunAt: number): Looking => {
  const isDown = begunAt < failsTo && begunAt + goodMs >= failsFrom
  return { monitor, begunAt, endsAt: begunAt + (isDown ? badMs : goodMs), isDown }
}

/** A region's worker: calls `report` with each check that has ended. */
const makeRegion = (course: Course, index: number, clock: number, report: (ended: Looking, region: number) => void) => {
  const { rules } = course
  const confirm = confirmationOf(rules)
  const assignment = assignmentOf({ url: "http://target.test/" }, {
    monitorId: shared.monitorId,
    intervalSec: rules.intervalSec,
    timeoutMs: rules.timeoutMs,
    regions: rules.regions,
    ...(confirm === null ? {} : { confirm })
  })
  const schedule = makeProbeSchedule(start + clock)
  schedule.change(0, { monitorId: assignment.monitorId, assignment }, start + clock)
  let underWay: Looking | null = null
  return (now: number): void => {
    if (underWay !== null && start + underWay.endsAt <= now) {
      const ended = underWay
      underWay = null
      ended.monitor.busy = false
      ended.monitor.run.stage = "idle"
      report(ended, index)
      schedule.ended(ended.monitor, ended.isDown, now + clock)
    }
    for (const { attempt, monitor, slot } of schedule.takeDue(now + clock, () => {})) {
      Object.assign(monitor.run, { slot, attempt, at: now + clock, stage: "under_way" })
      underWay = look(course, monitor, now - start)
    }
  }
}

const shared = assignmentOf({ url: "http://target.test/" })

/** The transitions of the monitor, each with the time of its decision, ms from the start. */
const play = (course: Course, lengthMs: number): ReadonlyArray<Transition & { readonly decidedAt: number }> => {
  const { rules } = course
  const choices = makeChoices(course.seed)
  const made: Array<Transition & { readonly decidedAt: number }> = []
  let machine = initialMachine(start, 1)
  let clock = start
  let checks = 0
  const take = (step: Step) => {
    machine = step.machine
    made.push(...step.transitions.map((transition) => ({ ...transition, decidedAt: clock - start })))
  }
  const regions = rules.regions.map((region, index) =>
    makeRegion(
      course,
      index,
      choices.below(course.skewMs + 1),
      ({ begunAt, isDown, monitor: { run } }) =>
        take(observe(machine, rules, everybody, {
          checkId: CheckId.make(`chk_${checks++}`),
          monitorId: shared.monitorId,
          revision: 1,
          region,
          slot: run.slot,
          ...(run.attempt === 0 ? {} : { attempt: run.attempt }),
          at: start + begunAt,
          outcome: isDown ? "down" : "up",
          statusCode: null,
          latencyMs: null,
          error: null,
          cause: null,
          hasEvidence: false,
          trusted: true
        }, clock))
    )
  )
  for (; clock <= start + lengthMs; clock += tickMs) {
    for (const region of regions) region(clock)
    const due = nextDeadline(machine, everybody, clock - 1)
    if (due !== null && due <= clock) take(closeDue(machine, rules, everybody, clock))
  }
  return made
}

const anyInterval = fc.oneof(fc.constantFrom(10, 20, 30, 60), fc.integer({ min: 10, max: 90 }))

const rulesFor = (intervalSec: number, timeoutSec: number, regions: number): Rules => ({
  intervalSec,
  timeoutMs: Math.min(intervalSec, timeoutSec) * 1000,
  failureThreshold: 2,
  recoveryThreshold: 1,
  confirmAfterSec: usualConfirmAfter(intervalSec),
  failureRate: null,
  regions: regionIds.slice(0, regions)
})

const anyRules = fc.tuple(anyInterval, fc.constantFrom(1, 5, 10, 30), fc.integer({ min: 1, max: 3 }))
  .map(([intervalSec, timeoutSec, regions]) => rulesFor(intervalSec, timeoutSec, regions))

/** Each run takes milliseconds. */
const runs = { numRuns: 300 }

describe("at default settings", () => {
  it("nobody is alerted of a blip of less than 10 s, whenever it comes and however long checks take", () => {
    const anyBlip = fc.record({
      rules: anyRules,
      after: fc.nat(120_000),
      lasts: fc.integer({ min: 1, max: 9999 }),
      good: fc.double({ min: 0, max: 1, noNaN: true }),
      hangs: fc.boolean(),
      skewMs: fc.constantFrom(0, 1000, 3000),
      seed: fc.integer()
    })
    fc.assert(
      fc.property(anyBlip, ({ after, good, hangs, lasts, rules, seed, skewMs }) => {
        const goodMs = Math.floor(good * rules.timeoutMs * 0.9)
        const course = {
          rules,
          failsFrom: 100_000 + after,
          failsTo: 100_000 + after + lasts,
          goodMs,
          badMs: hangs ? rules.timeoutMs : goodMs,
          skewMs,
          seed
        }
        expect(play(course, 400_000).map(({ to }) => to)).toEqual(["up"])
      }),
      runs
    )
  }, 120_000)

  const anyOutage = fc.record({
    intervalSec: anyInterval,
    timeoutSec: fc.constantFrom(1, 5, 10),
    regions: fc.integer({ min: 1, max: 3 }),
    after: fc.nat(120_000),
    hangs: fc.boolean(),
    seed: fc.integer()
  }).map(({ intervalSec, timeoutSec, ...rest }) => ({
    ...rest,
    rules: rulesFor(intervalSec, Math.min(timeoutSec, intervalSec / 2), rest.regions)
  }))

  it(
    "an outage alerts once, within 1.5 intervals, of which 10 s at least are the confirmation, and two timeouts if it shows as such",
    () => {
      fc.assert(
        fc.property(anyOutage, ({ after, hangs, rules, seed }) => {
          const failsFrom = 100_000 + after
          const badMs = hangs ? rules.timeoutMs : 20
          const course = { rules, failsFrom, failsTo: Number.POSITIVE_INFINITY, goodMs: 20, badMs, skewMs: 0, seed }
          const down = play(course, 500_000).filter(({ to }) => to === "down")
          expect(down).toHaveLength(1)
          const intervalMs = rules.intervalSec * 1000
          const bound = Math.max(1.5 * intervalMs, intervalMs + 10_000) + 2 * badMs
          expect((down[0]?.decidedAt ?? 0) - failsFrom).toBeLessThanOrEqual(bound + slackMs)
          // It is dated from the first check that failed.
          expect((down[0]?.at ?? 0) - start - failsFrom).toBeGreaterThanOrEqual(-20)
          expect((down[0]?.at ?? 0) - start - failsFrom).toBeLessThanOrEqual(intervalMs + slackMs)
        }),
        runs
      )
    },
    120_000
  )

  it("at an interval of a minute, an outage that shows as timeouts alerts within 1.5 intervals, too", () => {
    fc.assert(
      fc.property(fc.nat(60_000), fc.integer({ min: 1, max: 3 }), (after, regions) => {
        const failsFrom = 100_000 + after
        const rules = rulesFor(60, 10, regions)
        const course = { rules, failsFrom, failsTo: Number.POSITIVE_INFINITY, goodMs: 20, badMs: 10_000, skewMs: 0, seed: 1 }
        const [, down] = play(course, 400_000)
        expect((down?.decidedAt ?? Number.POSITIVE_INFINITY) - failsFrom).toBeLessThanOrEqual(90_000 + slackMs)
      }),
      { numRuns: 60 }
    )
  }, 120_000)
})
