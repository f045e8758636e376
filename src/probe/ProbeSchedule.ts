/** The schedule of a worker: which monitors it checks, and when each is due. Plain state, driven by the worker's clock. */
import type { Assignment, AssignmentChange } from "../../schema/check/Bus.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import { afterEdit, type FailureStreak } from "../domain/check/history/EvidenceSampling.ts"
import { makeTimingWheel, type Timer, type TimingWheel } from "../domain/check/probe/TimingWheel.ts"
import {
  dueAfter,
  dueAfterGap,
  dueAfterHandOver,
  firstStartFrom,
  isFresh,
  phaseOf,
  type Rhythm,
  slotAt,
  slotStart
} from "../domain/check/round/CheckSlot.ts"
import { repetitionDue, restUntil } from "../domain/monitor/Confirmation.ts"
import type { LaneState } from "../domain/tools/queues/Lanes.ts"
import { hostOf } from "./Host.ts"

/** A check this late was delayed by a gap, not by load. Overdue checks are then spread out to avoid a storm. */
const gapMs = 5000

/** A repetition that is under way when the next slot begins is looked at again after so long. */
const waitMs = 250

/** Small clock corrections are normal; only a larger step back rebuilds the schedule. */
const stepBackMs = 1000

const noAddresses: ReadonlyArray<string> = []

/** The state of one check, from the moment it is due. A monitor has one check at a time, so it reuses the record. */
export class CheckRun implements LaneState {
  stage: LaneState["stage"] = "idle"
  lane: LaneState["lane"] = "fast"
  moving = false
  /** The check slot, and when it was due (ms since 1970). */
  slot = 0
  /** Which repetition of the slot's check it is; 0 for the check itself. */
  attempt = 0
  due = 0
  /** The earliest time it could start with a free slot: later than `due` only if the host's rate limit delayed it. */
  ready = 0
  /** Start time (ms since 1970). */
  at = 0
  /** Its start in the order of events at the uplink. */
  moment = 0
  /** Start time on the scheduler's monotonic clock (ms). */
  begun = 0
  /** The step of its lane's queue at which it was queued. */
  step = 0
  /** It is a repeat, because the machine stood still during the first attempt. */
  again = false
  /** Number of the run: late callbacks from an abandoned run are ignored. */
  generation = 0
  giveUp: (() => void) | null = null
  /** The addresses at which it has waited for a permit. */
  granted: ReadonlyArray<string> = noAddresses
  index = 0
  /** Cancels its lease; only slow checks have one. */
  endLease: (() => void) | null = null
}

export class ScheduledMonitor {
  readonly assignment: Assignment
  /** The owned partitions that have an assignment of it: more than one while the bus moves it to another. */
  readonly partitions: Set<number>
  readonly rhythm: Rhythm
  readonly host: string
  readonly run = new CheckRun()
  /** The checks since it was last up; null while it is. The first check after it keeps evidence of the recovery. */
  streak: FailureStreak | null
  /** The latest check was slow: the next one starts in the slow lane. */
  wasSlow: boolean
  /** A check is running or waits to start. */
  busy = false
  /** It was removed from the schedule: a check that has not started is dropped. */
  gone = false
  /** The latest check did not begin with its slot: that of an edit or of a monitor that joined, or one that had to rest. */
  midSlot = false
  /** This worker has checked it since it was assigned. */
  checked = false
  /** The latest check was postponed because of a gap; it is not postponed twice. */
  putOff = false
  failures = 0
  /** How often the slot's check is repeated to confirm that it failed. */
  attempt = 0
  /** The time of the next slot's check, while a repetition comes first; else null. */
  resumeAt: number | null = null
  timer: Timer<ScheduledMonitor> | null = null

  constructor(assignment: Assignment, partition: number, before: ScheduledMonitor | undefined) {
    const intervalMs = assignment.intervalSec * 1000
    this.assignment = assignment
    this.partitions = before?.partitions ?? new Set([partition])
    this.rhythm = { intervalMs, phase: phaseOf(assignment.monitorId, intervalMs) }
    this.host = hostOf(assignment.target)
    this.streak = afterEdit(before?.streak ?? null)
    this.wasSlow = before?.wasSlow ?? false
  }
}

export interface DueCheck {
  readonly monitor: ScheduledMonitor
  readonly slot: number
  /** Which repetition of the slot's check it is; 0 for the check itself. */
  readonly attempt: number
  /** The time at which it was due (ms since 1970). */
  readonly due: number
}

interface ScheduleListener {
  readonly joined: (monitor: ScheduledMonitor) => void
  readonly left: (monitor: ScheduledMonitor) => void
}

interface State {
  readonly listener: ScheduleListener
  readonly monitors: Map<MonitorId, ScheduledMonitor>
  wheel: TimingWheel<ScheduledMonitor>
  latest: number
  owned: ReadonlySet<number> | null
}

const arm = ({ wheel }: State, monitor: ScheduledMonitor, due: number): void => {
  if (monitor.timer !== null) wheel.cancel(monitor.timer)
  monitor.timer = wheel.add(due, monitor)
}

const remove = ({ listener, monitors, wheel }: State, monitor: ScheduledMonitor): void => {
  if (monitor.timer !== null) wheel.cancel(monitor.timer)
  monitor.gone = true
  listener.left(monitor)
  monitors.delete(monitor.assignment.monitorId)
}

const put = (state: State, partition: number, assignment: Assignment, now: number): void => {
  const { listener, monitors } = state
  const before = monitors.get(assignment.monitorId)
  // A replay repeats known revisions, or earlier ones before the latest.
  before?.partitions.add(partition)
  if (before !== undefined && assignment.revision <= before.assignment.revision) return
  const monitor = new ScheduledMonitor(assignment, partition, before)
  if (before !== undefined) remove(state, before)
  monitors.set(assignment.monitorId, monitor)
  listener.joined(monitor)
  // The current slot may be unchecked; do not wait for its end, which can be hours away.
  const resume = before === undefined ? dueAfterHandOver : dueAfterGap
  arm(state, monitor, isFresh(monitor.rhythm, assignment.changedAt, now) ? now : resume(monitor.rhythm, now))
}

/** After the clock steps back, every timer lies too far ahead: sets them again. */
const rebuild = (state: State, now: number): void => {
  state.wheel = makeTimingWheel<ScheduledMonitor>(now)
  for (const monitor of state.monitors.values()) {
    monitor.timer = null
    monitor.resumeAt = null
    arm(state, monitor, firstStartFrom(monitor.rhythm, now))
  }
}

/** The check of a monitor whose timer has run out, and its next timer; null if the check is put off. */
const takeCheck = (state: State, monitor: ScheduledMonitor, now: number): DueCheck | null => {
  const { resumeAt, rhythm, run } = monitor
  const due = monitor.timer?.due ?? now
  monitor.timer = null
  monitor.resumeAt = null
  // A repetition, or a check in the middle of its slot, delays the next slot's check, but does not cost it.
  if ((run.attempt > 0 || monitor.midSlot) && run.stage === "under_way") {
    arm(state, monitor, now + waitMs)
    return null
  }
  if (now - due > gapMs && !monitor.putOff) {
    monitor.putOff = true
    arm(state, monitor, dueAfterGap(rhythm, now))
    return null
  }
  if (resumeAt !== null) {
    arm(state, monitor, resumeAt)
    return { monitor, slot: run.slot, attempt: monitor.attempt, due }
  }
  // Regions receive an edit in different slots; its time is what they share, so it determines the slot.
  const isEdit = !monitor.checked && isFresh(rhythm, monitor.assignment.changedAt, now)
  const instant = isEdit ? Math.min(monitor.assignment.changedAt, now) : now
  const slot = slotAt(instant, rhythm.phase, rhythm.intervalMs)
  monitor.attempt = 0
  monitor.midSlot = due !== slotStart(slot, rhythm.phase, rhythm.intervalMs)
  monitor.putOff = false
  monitor.checked = true
  arm(state, monitor, dueAfter(rhythm, instant))
  return { monitor, slot, attempt: 0, due }
}

const takeDue = (state: State, now: number, onSkip: (dueCheck: DueCheck) => void): ReadonlyArray<DueCheck> => {
  if (now < state.latest - stepBackMs) {
    rebuild(state, now)
    state.latest = now
  }
  state.latest = Math.max(state.latest, now)
  const dueChecks: Array<DueCheck> = []
  for (const monitor of state.wheel.advance(now)) {
    const dueCheck = takeCheck(state, monitor, now)
    if (dueCheck === null) continue
    if (monitor.busy) onSkip(dueCheck)
    else {
      monitor.busy = true
      dueChecks.push(dueCheck)
    }
  }
  return dueChecks
}

/** Repeats a failed check, or leaves that to the next slot's check; neither follows it too closely. */
const repeatIfDown = (state: State, monitor: ScheduledMonitor, isDown: boolean, now: number): void => {
  const { assignment: { confirm, timeoutMs }, gone, resumeAt, rhythm, run, timer } = monitor
  monitor.failures = isDown ? monitor.failures + 1 : 0
  if (!isDown || confirm === undefined || monitor.failures > confirm.most || gone || timer === null || resumeAt !== null) return
  const due = repetitionDue(confirm, run.at, now)
  // The repetition, and the check that it may delay, must end before the slot after the next one.
  if (due < timer.due && due + 2 * timeoutMs <= timer.due + rhythm.intervalMs) {
    monitor.attempt++
    monitor.resumeAt = timer.due
    return arm(state, monitor, due)
  }
  const rested = restUntil(confirm, now)
  if (timer.due < rested) arm(state, monitor, rested)
}

const noListener: ScheduleListener = { joined: () => {}, left: () => {} }

export const makeProbeSchedule = (start: number, listener = noListener) => {
  const state: State = { listener, monitors: new Map(), wheel: makeTimingWheel(start), latest: start, owned: null }
  return {
    /** Replaces the set of owned partitions; drops monitors of all others. */
    own: (partitions: ReadonlySet<number>): void => {
      state.owned = partitions
      for (const monitor of state.monitors.values()) {
        for (const one of monitor.partitions) if (!partitions.has(one)) monitor.partitions.delete(one)
        if (monitor.partitions.size === 0) remove(state, monitor)
      }
    },
    change: (partition: number, { assignment, monitorId }: AssignmentChange, now: number): void => {
      // A late message for a partition that another worker now owns.
      if (state.owned !== null && !state.owned.has(partition)) return
      if (assignment !== null) return put(state, partition, assignment, now)
      const monitor = state.monitors.get(monitorId)
      monitor?.partitions.delete(partition)
      if (monitor?.partitions.size === 0) remove(state, monitor)
    },
    /** The due checks; `onSkip` receives those of monitors whose last check has not ended. */
    takeDue: (now: number, onSkip: (dueCheck: DueCheck) => void) => takeDue(state, now, onSkip),
    /** Takes note of a check that has ended. A failed one is repeated soon if the monitor wants that and the next slot leaves time. */
    ended: (monitor: ScheduledMonitor, isDown: boolean, now: number): void => repeatIfDown(state, monitor, isDown, now),
    size: () => state.monitors.size
  }
}
export type ProbeSchedule = ReturnType<typeof makeProbeSchedule>
