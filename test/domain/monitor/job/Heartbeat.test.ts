/** When a silent job counts as down, and when it does not. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { CheckId, MonitorId, RunId } from "../../../../schema/Ids.ts"
import type { OpenRun } from "../../../../schema/monitor/JobRun.ts"
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"
import type { Machine, Observation } from "../../../../schema/monitor/Machine.ts"
import type { MonitorState } from "../../../../schema/monitor/Monitor.ts"
import { nextExpected, type PingTimes } from "../../../../src/domain/monitor/job/ExpectedPing.ts"
import { deadlineOf, isCalm, judgeHeartbeat, type Occasion, pushRegion } from "../../../../src/domain/monitor/job/Heartbeat.ts"
import { initialMachine } from "../../../../src/domain/monitor/MonitorMachine.ts"

const start = 1_790_000_000_000
const minute = 60_000
const monitorId = MonitorId.make("mon_1")
const target: HeartbeatTarget = { kind: "heartbeat", periodSec: 600, graceSec: 120 }
const rules = {
  intervalSec: 60,
  timeoutMs: 10_000,
  failureThreshold: 3,
  recoveryThreshold: 3,
  confirmAfterSec: null,
  failureRate: null,
  regions: []
}
const ever: PingTimes = { lastPingAt: start, expectedFrom: start - minute }
const never: PingTimes = { lastPingAt: null, expectedFrom: start }

const inState = (state: MonitorState): Machine => ({ ...initialMachine(start, 1), state })

const missed = () => ({ checkId: CheckId.make("chk_missed"), monitorId, revision: 1 })

const ping = (at: number, outcome: Observation["outcome"] = "up"): Observation => ({
  ...missed(),
  checkId: CheckId.make(`chk_${at}`),
  region: pushRegion,
  slot: -1,
  at,
  outcome,
  statusCode: null,
  latencyMs: null,
  error: outcome === "up" ? null : "disk full",
  cause: outcome === "up" ? null : "reported",
  hasEvidence: false,
  trusted: true
})

const turn = (state: MonitorState, more: Partial<Occasion> = {}) =>
  judgeHeartbeat(inState(state), {
    target,
    rules,
    pingTimes: ever,
    news: [],
    listened: { since: 0, openUntil: null },
    now: start,
    missed,
    ...more
  })

const targets = fc.record({
  kind: fc.constant("heartbeat" as const),
  periodSec: fc.integer({ min: 30, max: 2_678_400 }),
  graceSec: fc.integer({ min: 0, max: 86_400 })
})
const instants = fc.integer({ min: start, max: start + 100 * 86_400_000 })

describe("the deadline of a heartbeat", () => {
  it("is one period plus the grace after the last ping", () => {
    expect(deadlineOf(target, ever, 0, start)).toBe(start + 12 * minute)
  })

  it("is the same for the first ping, counted from the monitor's creation", () => {
    expect(deadlineOf(target, never, 0, start)).toBe(start + 12 * minute)
  })

  it("restarts when the monitor is resumed or its period edited", () => {
    expect(deadlineOf(target, { lastPingAt: start, expectedFrom: start + 3_600_000 }, 0, start + 3_600_000))
      .toBe(start + 3_600_000 + 12 * minute)
  })

  it("is never earlier than one period plus the grace after the last ping, whatever happened to the service", () => {
    fc.assert(fc.property(targets, instants, instants, instants, (any, lastPingAt, since, later) => {
      const now = Math.max(lastPingAt, later)
      const deadline = deadlineOf(any, { lastPingAt, expectedFrom: 0 }, since, now) ?? 0
      return deadline >= lastPingAt + (any.periodSec + any.graceSec) * 1000
    }))
  })

  it("leaves at least a minute after an outage of the service, and at most the period plus grace, or that minute", () => {
    fc.assert(fc.property(targets, instants, fc.integer({ min: 1, max: 100 * 86_400_000 }), (any, lastPingAt, away) => {
      const since = lastPingAt + away
      const deadline = deadlineOf(any, { lastPingAt, expectedFrom: 0 }, since, since) ?? 0
      return deadline >= since + minute && deadline <= since + Math.max(minute, (any.periodSec + any.graceSec) * 1000)
    }))
  })

  it("does not penalise an hourly job for a ping during an outage, and waits an hour, not a day, for a daily one", () => {
    const hourly: HeartbeatTarget = { kind: "heartbeat", periodSec: 3600, graceSec: 300 }
    const daily: HeartbeatTarget = { kind: "heartbeat", periodSec: 86_400, graceSec: 300 }
    // The service was away from five minutes before to five minutes after the due ping.
    const back = start + 65 * minute
    expect(deadlineOf(hourly, ever, back, back)).toBe(back + 65 * minute)
    const backNextDay = start + 86_400_000 + 5 * minute
    expect(deadlineOf(daily, ever, backNextDay, backNextDay)).toBe(backNextDay + 65 * minute)
  })

  it("is not postponed by an outage that ended before the last ping", () => {
    fc.assert(
      fc.property(
        targets,
        instants,
        fc.integer({ min: 0, max: 1e9 }),
        (any, lastPingAt, before) =>
          deadlineOf(any, { lastPingAt, expectedFrom: 0 }, lastPingAt - before, lastPingAt) ===
            lastPingAt + (any.periodSec + any.graceSec) * 1000
      )
    )
  })

  it("treats a ping from the future as received now", () => {
    expect(deadlineOf(target, { lastPingAt: start + 86_400_000, expectedFrom: 0 }, 0, start)).toBe(start + 12 * minute)
  })
})

describe("the deadline of a heartbeat with a schedule", () => {
  const berlin = (schedule: string, graceSec = 600): HeartbeatTarget => ({
    kind: "heartbeat",
    periodSec: 86_400,
    graceSec,
    schedule,
    timezone: "Europe/Berlin"
  })
  const at = (text: string) => Date.parse(`${text}:00Z`)
  const deadline = (of: HeartbeatTarget, ping: string, back = "2026-01-01T00:00") =>
    new Date(deadlineOf(of, { lastPingAt: at(ping), expectedFrom: 0 }, at(back), Math.max(at(ping), at(back))) ?? 0)
      .toISOString().slice(0, 16)

  it("is the grace after its next time", () => {
    expect(deadline(berlin("30 2 * * *"), "2026-11-27T01:31")).toBe("2026-11-28T01:40")
  })

  it("is never on a Sunday for a job of weekdays", () => {
    expect(deadline(berlin("0 18 * * 1-5"), "2026-11-27T17:01")).toBe("2026-11-30T17:10")
  })

  it("leaves out the night on which the clock skips its time", () => {
    expect(deadline(berlin("30 2 * * *"), "2026-03-28T01:31")).toBe("2026-03-30T00:40")
  })

  it("counts a ping a little before its time for it, as clocks differ", () => {
    const early = { lastPingAt: at("2026-11-27T01:30") - 4000, expectedFrom: 0 }
    expect(deadlineOf(berlin("30 2 * * *"), early, 0, at("2026-11-27T01:30"))).toBe(at("2026-11-28T01:40"))
    const earlier = { lastPingAt: at("2026-11-27T01:29"), expectedFrom: 0 }
    expect(deadlineOf(berlin("30 2 * * *"), earlier, 0, at("2026-11-27T01:30"))).toBe(at("2026-11-27T01:40"))
  })

  it("is that of a time which comes a little after the monitor was made, resumed or edited: only a ping is early", () => {
    const edited = at("2026-11-27T01:30") - 4000
    const [tonight, tomorrow] = [at("2026-11-27T01:40"), at("2026-11-28T01:40")]
    const of = (lastPingAt: number | null) =>
      deadlineOf(berlin("30 2 * * *"), { lastPingAt, expectedFrom: edited }, 0, at("2026-11-27T01:30"))
    expect([of(null), of(at("2026-11-26T01:31")), of(edited - 2000), of(edited + 2000)])
      .toEqual([tonight, tonight, tomorrow, tomorrow])
  })

  it("leaves a job time after an outage of the service, an hour at most", () => {
    expect(deadline(berlin("30 2 * * *"), "2026-11-26T01:31", "2026-11-27T01:35")).toBe("2026-11-27T02:45")
    expect(deadline(berlin("*/10 * * * *"), "2026-11-27T01:20", "2026-11-27T01:35")).toBe("2026-11-27T01:55")
    expect(deadline(berlin("30 2 * * *"), "2026-11-26T01:31", "2026-11-26T12:00")).toBe("2026-11-27T01:40")
  })

  it("is none after the last time of a schedule with a year", () => {
    const once = berlin("2026-12-01 10:00")
    expect(deadlineOf(once, { lastPingAt: at("2026-12-01T09:01"), expectedFrom: 0 }, 0, at("2026-12-01T09:01"))).toBeNull()
    expect(
      turn("up", {
        target: once,
        pingTimes: { lastPingAt: at("2026-12-01T09:01"), expectedFrom: 0 },
        now: at("2027-12-01T09:01")
      })
    )
      .toMatchObject({ deadline: null, missed: null })
  })

  it("says when the missing ping was expected", () => {
    const now = at("2026-11-28T01:41")
    const { missed: check } = turn("up", {
      target: berlin("30 2 * * *"),
      pingTimes: { lastPingAt: at("2026-11-27T01:31"), expectedFrom: 0 },
      now
    })
    expect(check?.error).toBe("No ping for 1 day (expected at Nov 28, 2026, 02:30 GMT+1, grace 10 minutes)")
  })

  it("gives way in the record to the schedule's next time once it was missed with its grace", () => {
    const pingTimes = { lastPingAt: at("2026-11-27T01:31"), expectedFrom: 0 }
    const shown = (now: string) =>
      new Date(nextExpected(berlin("30 2 * * *"), pingTimes, at(now)) ?? 0).toISOString().slice(0, 16)
    expect([shown("2026-11-27T12:00"), shown("2026-11-28T01:35"), shown("2026-11-28T02:00")])
      .toEqual(["2026-11-28T01:30", "2026-11-28T01:30", "2026-11-29T01:30"])
    expect(nextExpected(target, { lastPingAt: start, expectedFrom: 0 }, start + 60 * minute)).toBe(start + 10 * minute)
  })
})

describe("a heartbeat's turn", () => {
  it("marks the monitor down at its deadline, after one missed ping, whatever the thresholds", () => {
    const { deadline, missed: check, step } = turn("up", { now: start + 12 * minute + 300 })
    expect(step.transitions).toMatchObject([{ from: "up", to: "down", at: start + 12 * minute }])
    expect(check).toMatchObject({
      outcome: "down",
      cause: "missed_ping",
      at: start + 12 * minute,
      region: "push",
      error: "No ping for 12 minutes (expected every 10 minutes, grace 2 minutes)"
    })
    expect(deadline).toBeNull()
  })

  it("changes nothing before the deadline, and returns when to judge again", () => {
    for (const state of ["up", "degraded", "pending"] as const) {
      expect(turn(state, { now: start + minute })).toMatchObject({
        step: { transitions: [] },
        missed: null,
        deadline: start + 12 * minute
      })
    }
  })

  it("reports a job that never pinged", () => {
    expect(turn("pending", { now: start + 13 * minute, pingTimes: never })).toMatchObject({
      step: { transitions: [{ from: "pending", to: "down" }] },
      missed: { at: start + 12 * minute, cause: "missed_ping" }
    })
  })

  it("does nothing for monitors that are down or paused", () => {
    const late = { now: start + 86_400_000 }
    expect(turn("down", late)).toMatchObject({ step: { transitions: [] }, missed: null, deadline: null })
    expect(turn("paused", late)).toMatchObject({ step: { transitions: [] }, missed: null, deadline: null })
  })

  it("processes every ping in order, so that a failure between two good ones is reported", () => {
    const news = [ping(start), ping(start + 1, "down"), ping(start + 2)]
    expect(turn("up", { news }).step.transitions.map(({ to }) => to)).toEqual(["down", "up"])
  })

  it("treats one good ping as recovery, and a degraded ping as degraded", () => {
    expect(turn("down", { news: [ping(start)] }).step.transitions).toMatchObject([{ to: "up" }])
    expect(turn("pending", { news: [ping(start)] }).step.transitions).toMatchObject([{ to: "up" }])
    expect(turn("up", { news: [ping(start, "degraded")] }).step.transitions).toMatchObject([{ to: "degraded" }])
    expect(turn("down", { news: [ping(start, "degraded")] }).step.transitions).toMatchObject([{ to: "up" }, { to: "degraded" }])
  })

  it("leaves a paused monitor unchanged, whatever is reported", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("up", "down", "degraded")), (outcomes) =>
        turn("paused", {
          news: outcomes.map((outcome, index) => ping(start + index, outcome))
        }).step.transitions.length === 0)
    )
  })

  it("ends in the state of the last report, with a deadline exactly when silence could still change it", () => {
    fc.assert(fc.property(
      fc.constantFrom<MonitorState>("pending", "up", "degraded", "down"),
      fc.array(fc.constantFrom("up", "down", "degraded"), { minLength: 1 }),
      (state, outcomes) => {
        const { deadline, step } = turn(state, { news: outcomes.map((outcome, index) => ping(start + index, outcome)) })
        expect(step.machine.state).toBe(outcomes.at(-1))
        expect(deadline === null).toBe(step.machine.state === "down")
        expect(step.machine.lastRoundAt).toBeNull()
      }
    ))
  })

  it("reports nothing while it is open whether reports were missed, and looks again then", () => {
    const now = start + 13 * minute
    const open = turn("up", { now, listened: { since: 0, openUntil: now + 3000 } })
    expect(open).toMatchObject({ step: { transitions: [] }, missed: null, deadline: now + 3000 })
    expect(turn("up", { now: now + 3000, listened: { since: 0, openUntil: now + 3000 } }).missed).not.toBeNull()
  })

  it("never reports the same silence twice", () => {
    const first = turn("up", { now: start + 13 * minute })
    const again = judgeHeartbeat(first.step.machine, {
      target,
      rules,
      pingTimes: ever,
      news: [],
      listened: { since: 0, openUntil: null },
      now: start + 20 * minute,
      missed
    })
    expect(again).toMatchObject({ step: { transitions: [] }, missed: null, deadline: null })
  })
})

it("lets good pings bypass the actor only if they could not change anything", () => {
  for (const state of ["up", "paused", "pending", "degraded", "down"] as const) {
    const moved = turn(state, { news: [ping(start)] }).step.transitions.length > 0
    expect(isCalm(state)).toBe(!moved)
  }
})

describe("a run that has not ended", () => {
  const runAt = (at: number, rid = "") => ({ id: RunId.make(`run_${at}`), rid, at })
  const withRuns = (now: number, runs: ReadonlyArray<OpenRun>, more: Partial<Occasion> = {}, state: MonitorState = "up") =>
    turn(state, { pingTimes: { ...ever, runs }, now, ...more })

  it("is reported when it has taken longer than the grace, once", () => {
    const run = runAt(start + minute)
    expect(withRuns(start + 2 * minute, [run])).toMatchObject({ missed: null, overdue: [], deadline: start + 3 * minute })
    const due = withRuns(start + 3 * minute, [run])
    expect(due).toMatchObject({
      missed: { outcome: "down", at: start + 3 * minute, cause: "missed_ping", error: "The run has taken longer than 2 minutes" },
      overdue: [run],
      deadline: null
    })
    expect(due.step.machine.state).toBe("down")
    expect(withRuns(start + 4 * minute, [{ ...run, overdue: true }], {}, "down")).toMatchObject({ missed: null, deadline: null })
  })

  it("excuses the silence until it is due, if it began in time", () => {
    const long = { target: { ...target, maxRunSec: 3600 } }
    const inTime = runAt(start + 11 * minute)
    expect(withRuns(start + 20 * minute, [inTime], long)).toMatchObject({ missed: null, deadline: start + 71 * minute })
    expect(withRuns(start + 71 * minute, [inTime], long).missed?.error).toBe("The run has taken longer than 1 hour")
    const tooLate = runAt(start + 13 * minute)
    expect(withRuns(start + 14 * minute, [tooLate], long).missed?.error).toMatch(/^No ping for 12 minutes/)
  })

  it("is noted while the monitor is down, and not while it is paused", () => {
    const run = runAt(start)
    expect(withRuns(start + minute, [run], {}, "down")).toMatchObject({ deadline: start + 2 * minute })
    expect(withRuns(start + 5 * minute, [run], {}, "down").overdue).toEqual([run])
    expect(withRuns(start + 5 * minute, [run], {}, "paused")).toMatchObject({ overdue: [], missed: null, deadline: null })
  })

  it("has more time after a pause, and after an outage of the service", () => {
    const run = runAt(start)
    const resumed = { pingTimes: { ...ever, expectedFrom: start + 30 * minute, runs: [run] } }
    expect(withRuns(start + 31 * minute, [], resumed)).toMatchObject({ missed: null, deadline: start + 32 * minute })
    const outage = { listened: { since: start + 30 * minute, openUntil: null } }
    expect(withRuns(start + 31 * minute, [run], outage)).toMatchObject({ missed: null, deadline: start + 42 * minute })
  })

  it("leaves the others to their own time", () => {
    const [first, second] = [runAt(start, "a"), runAt(start + minute, "b")]
    expect(withRuns(start + 2 * minute, [first, second])).toMatchObject({ overdue: [first], deadline: start + 3 * minute })
  })
})
