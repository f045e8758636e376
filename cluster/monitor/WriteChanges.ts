/** Writes changes of monitors' states in one transaction: the states with their spans, their incidents and their events. */
import { Array as Arr, DateTime, Effect } from "effect"
import type { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import type { HeartbeatTarget } from "../../schema/monitor/kinds/heartbeat.ts"
import { keepsState } from "../../src/domain/monitor/MonitorMachine.ts"
import { MonitorAnnouncer } from "../../src/services/monitor/MonitorAnnouncer.ts"
import { AlertStreaks } from "../../src/store/alert/AlertStreaks.ts"
import { KeptBackTroubles } from "../../src/store/alert/KeptBackTroubles.ts"
import { EventLog, type TracedDraft } from "../../src/store/event/EventLog.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import { type DecidedStep, makeHeartbeatSteps } from "./HeartbeatSteps.ts"
import { snapshotOf } from "./MonitorMemory.ts"

/** A change of a monitor: a decided step, or a heartbeat whose alarm is due, which is judged once its row is locked: pings may come. */
export interface MonitorChange {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
  readonly monitor: MonitorWithMachine
  readonly change: DecidedStep | HeartbeatTarget
  readonly traceparent: string | null
}

interface DecidedChange extends DecidedStep {
  readonly monitor: MonitorWithMachine
  readonly traceparent: string | null
}

const isDecided = (change: MonitorChange["change"]): change is DecidedStep => "step" in change

/** The monitor after a step, in the incident that it was in before. */
const afterOf = ({ lastCheck, monitor, step: { machine } }: DecidedChange): MonitorWithMachine => ({
  ...monitor,
  machine,
  lastCheck
})

const byWorkspace = (changes: ReadonlyArray<DecidedChange>, drafts: ReadonlyArray<ReadonlyArray<TracedDraft>>) => {
  const events = new Map<WorkspaceId, ReadonlyArray<TracedDraft>>()
  changes.forEach(({ monitor: { workspaceId }, traceparent }, index) => {
    const own = drafts[index] ?? []
    const traced = traceparent === null ? own : own.map((draft): TracedDraft => ({ ...draft, traceparent }))
    events.set(workspaceId, [...(events.get(workspaceId) ?? []), ...traced])
  })
  return events
}

/**
 * A pause ends a trouble without an event. An alert that still waited for it would keep pages of a later one back, and the end of flapping
 * would be announced with the state before the pause. Monitors that depend on it wait no longer.
 */
const makeForgetAlerts = Effect.gen(function*() {
  const troubles = yield* KeptBackTroubles
  const streaks = yield* AlertStreaks

  return Effect.fnUntraced(function*(moved: ReadonlyArray<DecidedChange>) {
    const paused = moved.flatMap(({ monitor: { id, workspaceId }, step: { machine } }) =>
      machine.state === "paused" ? [{ workspaceId, monitorId: id }] : []
    )
    if (paused.length === 0) return
    const [workspaceIds, ids] = [paused.map(({ workspaceId }) => workspaceId), paused.map(({ monitorId }) => monitorId)]
    yield* troubles.save(workspaceIds, [], ids)
    yield* streaks.forget(workspaceIds, ids)
    yield* troubles.free(paused, yield* DateTime.now)
  })
})

/**
 * Writes changes in the caller's transaction. Returns the monitors as they are after those that were written: not those whose row another
 * writer has changed, or has locked for longer than `patienceMs`.
 */
export const makeWriteChanges = Effect.gen(function*() {
  const states = yield* MonitorStates
  const events = yield* EventLog
  const announcer = yield* MonitorAnnouncer
  const heartbeats = yield* makeHeartbeatSteps
  const forgetAlerts = yield* makeForgetAlerts

  /** Locks the rows of due heartbeats, then the states of all; returns the changes that were not overtaken, and the heartbeats' pings. */
  const lock = Effect.fnUntraced(function*(changes: ReadonlyArray<MonitorChange>, patienceMs: number | null) {
    const due = changes.filter(({ change }) => !isDecided(change))
    const heard = due.length === 0 ? null : yield* heartbeats.lock(due, patienceMs !== null)
    const free = changes.filter(({ change, monitorId }) => isDecided(change) || heard?.has(monitorId))
    const held = yield* states.hold(
      free.map(({ monitor: { version }, monitorId, workspaceId }) => ({ workspaceId, monitorId, version })),
      patienceMs
    )
    return { won: free.filter(({ monitorId }) => held.has(monitorId)), heard }
  })

  const decide = Effect.fnUntraced(function*({ heard, won }: Effect.Effect.Success<ReturnType<typeof lock>>) {
    const due = won.flatMap(({ change, monitor, monitorId }) => {
      const pings = heard?.get(monitorId)
      return isDecided(change) || pings === undefined ? [] : [{ heard: pings, monitor, target: change }]
    })
    const judged = due.length === 0 ? null : yield* heartbeats.judge(due)
    return won.flatMap(({ change, monitor, monitorId, traceparent }): ReadonlyArray<DecidedChange> => {
      const decided = isDecided(change) ? change : judged?.get(monitorId)
      return decided === undefined ? [] : [{ ...decided, monitor, traceparent }]
    })
  })

  /** Writes those that change a state. The workspaces of their events stay locked until the commit, so this comes last. */
  const writeMoved = Effect.fnUntraced(function*(moved: ReadonlyArray<DecidedChange>) {
    const announced = yield* announcer.announceAll(moved.map(({ monitor, step: { transitions } }) => ({
      row: monitor,
      openIncident: monitor.incidentId,
      since: monitor.machine.since,
      transitions
    })))
    const after = moved.map((change, index) => ({ ...afterOf(change), incidentId: announced[index]?.incidentId ?? null }))
    yield* states.commit(moved.map(({ monitor, step: { gaps, transitions } }, index) => {
      const next = after[index] ?? monitor
      return { snapshot: snapshotOf(next), transitions, gaps, incidentId: next.incidentId }
    }))
    yield* events.appendAll(byWorkspace(moved, announced.map(({ drafts }) => drafts)))
    // After the workspaces, as the fan-out locks them.
    yield* forgetAlerts(moved)
    return after.map((monitor) => ({ ...monitor, version: monitor.version + 1 }))
  })

  return Effect.fn("Monitor.commit")(function*(changes: ReadonlyArray<MonitorChange>, patienceMs: number | null) {
    const all = yield* decide(yield* lock(changes, patienceMs))
    const [unmoved, moved] = Arr.partition(all, ({ step }) => !keepsState(step))
    const kept = unmoved.map(afterOf)
    const saved = kept.filter(({ machine }, index) => machine !== unmoved[index]?.monitor.machine)
    if (saved.length > 0) yield* states.saveAll(saved.map(snapshotOf))
    const written = moved.length === 0 ? [] : yield* writeMoved(moved)
    return new Map([...kept, ...written].map((monitor) => [monitor.id, monitor]))
  })
})
