/** The steps of heartbeats whose alarms are due: each processes its waiting pings, judges the silence, and arms the next deadline. */
import { DateTime, Effect } from "effect"
import { randomBytes } from "node:crypto"
import type { CheckSummary } from "../../schema/check/Check.ts"
import { instant } from "../../schema/Fields.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import type { HeartbeatTarget } from "../../schema/monitor/kinds/heartbeat.ts"
import { makeCheckId } from "../../src/domain/check/history/CheckKey.ts"
import { checkSummary } from "../../src/domain/check/history/CheckView.ts"
import { isCalm, judgeHeartbeat, type Judgement } from "../../src/domain/monitor/job/Heartbeat.ts"
import type { Step } from "../../src/domain/monitor/MonitorMachine.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { Checks } from "../../src/store/check/Checks.ts"
import { type HeardPings, Heartbeats, type News } from "../../src/store/monitor/Heartbeats.ts"
import { JobRuns } from "../../src/store/monitor/JobRuns.ts"
import { Listening } from "../../src/store/monitor/Listening.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"

/** A heartbeat whose step is due, with its row, which the transaction has locked. */
interface LockedHeartbeat {
  readonly monitor: MonitorWithMachine
  readonly target: HeartbeatTarget
  readonly heard: HeardPings
}

/** A step of the state machine, and the last check after it. */
export interface DecidedStep {
  readonly step: Step
  readonly lastCheck: CheckSummary | null
}

/** The part of a step that notes overdue runs. */
interface Judged extends Pick<Judgement, "overdue"> {
  readonly heard: HeardPings
  readonly monitor: Pick<MonitorWithMachine, "id" | "workspaceId">
}

const nothingNew: News = { pings: [], more: false }

/** Notes the runs that have now taken too long, so that none is reported twice. */
const makeNoteOverdue = Effect.gen(function*() {
  const heartbeats = yield* Heartbeats
  const runs = yield* JobRuns
  return Effect.fnUntraced(function*(judged: ReadonlyArray<Judged>) {
    const some = judged.filter(({ overdue }) => overdue.length > 0)
    if (some.length === 0) return
    yield* heartbeats.noteOverdue(
      some.map(({ heard: { pingTimes: { runs: open = [] } }, monitor: { id, workspaceId }, overdue }) => ({
        workspaceId,
        monitorId: id,
        open: open.map((run) => overdue.includes(run) ? { ...run, overdue: true } : run)
      }))
    )
    yield* runs.markOverdue(
      some.flatMap(({ monitor: { id, workspaceId }, overdue }) =>
        overdue.map((run) => ({ workspaceId, monitorId: id, runId: run.id }))
      )
    )
  })
})

export const makeHeartbeatSteps = Effect.gen(function*() {
  const alarms = yield* Alarms
  const checks = yield* Checks
  const heartbeats = yield* Heartbeats
  const listening = yield* Listening
  const noteOverdue = yield* makeNoteOverdue
  const clock = yield* DatabaseClock

  /** Judges heartbeats in the caller's transaction, which must write their steps; stores missed pings and arms the alarms. */
  const judge = Effect.fn("Heartbeats.judge")(function*(locked: ReadonlyArray<LockedHeartbeat>) {
    const news = yield* heartbeats.takeNews(
      locked.map(({ monitor: { id, machine } }) => ({ monitorId: id, revision: machine.revision }))
    )
    const now = yield* clock.now
    const listened = yield* listening.at(now)
    const judged = locked.map(({ heard, monitor, target }) => {
      const { more, pings } = news.get(monitor.id) ?? nothingNew
      const judgement = judgeHeartbeat(monitor.machine, {
        target,
        rules: monitor,
        pingTimes: heard.pingTimes,
        news: pings,
        listened,
        now: DateTime.toEpochMillis(now),
        missed: (at) => ({
          checkId: makeCheckId(monitor.id, at, randomBytes(10)),
          monitorId: monitor.id,
          revision: monitor.machine.revision
        })
      })
      return { ...judgement, heard, monitor, more }
    })
    const missed = judged.flatMap(({ missed, monitor: { workspaceId } }) =>
      missed === null ? [] : [{ counted: true, result: { ...missed, workspaceId, timings: null, evidence: null } }]
    )
    if (missed.length > 0) yield* Effect.orDie(checks.insert(missed))
    yield* noteOverdue(judged)
    yield* heartbeats.settle(judged.map(({ monitor: { id, workspaceId }, more, step }) => ({
      workspaceId,
      monitorId: id,
      calm: isCalm(step.machine.state) && !more
    })))
    yield* alarms.rearm(
      "monitor",
      judged.map(({ deadline, monitor: { id, workspaceId }, more }) => ({
        workspaceId,
        id,
        dueAt: more ? now : deadline === null ? null : instant(deadline)
      }))
    )
    return new Map(judged.map(({ heard, missed, monitor, step }): [MonitorId, DecidedStep] => [
      monitor.id,
      { step, lastCheck: missed === null ? heard.lastCheck : checkSummary(missed) }
    ]))
  })

  return { lock: heartbeats.lock, judge }
})
