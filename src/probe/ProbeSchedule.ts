/** The schedule of a worker: which monitors it checks, and when each is due. Plain state, driven by the worker's clock. */
import type { Assignment, AssignmentChange } from "../../schema/check/Bus.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import { afterEdit, type FailureStreak } from "../domain/check/history/EvidenceSampling.ts"
import { makeTimingWheel, type Timer } from "../domain/check/probe/TimingWheel.ts"
import {
  dueAfterExtra,
  dueAfterGap,
  dueAfterRegular,
  firstStartFrom,
  isFresh,
  phaseOf,
  type Rhythm,
  slotAt
} from "../domain/check/round/CheckSlot.ts"
import { type CheckRun, newCheckRun } from "./CheckRun.ts"
import { hostOf } from "./Host.ts"

/** A check this late was delayed by a gap, not by load. Overdue checks are then spread out to avoid a storm. */
const gapMs = 5000

/** Small clock corrections are normal; only a larger step back rebuilds the schedule. */
const stepBackMs = 1000

/** A monitor on the schedule. */
export interface ScheduledMonitor {
  readonly assignment: Assignment
  /** The owned partitions that have an assignment of it: more than one while the bus moves it to another. */
  readonly places: Set<number>
  readonly rhythm: Rhythm
  /** The target's host; empty if it has none. */
  readonly host: string
  readonly run: CheckRun
  /** The checks since it was last up; null while it is. The first check after it keeps evidence of the recovery. */
  streak: FailureStreak | null
  /** Whether the latest check was slow: the next one starts in the slow lane. */
  wasSlow: boolean
  /** A check is running or waits to start. */
  busy: boolean
  /** It was removed from the schedule: a check that has not started is dropped. */
  gone: boolean
  /** Whether this worker has checked it since it was assigned. */
  checked: boolean
  /** The latest check was postponed because of a gap; it is not postponed twice. */
  putOff: boolean
  /** Failed checks in a row. */
  failures: number
  /** How often the slot's check is repeated to confirm that it failed. */
  attempt: number
  /** When the next slot's check is due, while a repetition comes first; else null. */
  resumeAt: number | null
  timer: Timer<ScheduledMonitor> | null
}

/** A check to start now. */
export interface DueCheck {
  readonly monitor: ScheduledMonitor
  readonly slot: number
  /** Which repetition of the slot's check it is; 0 for the check itself. */
  readonly attempt: number
  /** When it was due (ms since 1970). */
  readonly due: number
}

export interface ProbeSchedule {
  /** Replaces the set of owned partitions; drops monitors of all others. */
  readonly own: (partitions: ReadonlySet<number>) => void
  readonly change: (partition: number, change: AssignmentChange, now: number) => void
  /** The due checks; `onSkip` receives those of monitors whose last check has not ended. */
  readonly takeDue: (now: number, onSkip: (dueCheck: DueCheck) => void) => ReadonlyArray<DueCheck>
  /** Takes note of a check that has ended. A failed one is repeated soon if the monitor wants that and the next slot leaves time. */
  readonly ended: (monitor: ScheduledMonitor, isDown: boolean, now: number) => void
  readonly size: () => number
}

/** Notified when monitors join or leave the schedule. */
export interface ScheduleListener {
  readonly joined: (monitor: ScheduledMonitor) => void
  readonly left: (monitor: ScheduledMonitor) => void
}

const noListener: ScheduleListener = { joined: () => {}, left: () => {} }

export const makeProbeSchedule = (start: number, listener: ScheduleListener = noListener): ProbeSchedule => {
  const monitors = new Map<MonitorId, ScheduledMonitor>()
  let wheel = makeTimingWheel<ScheduledMonitor>(start)
  let latest = start
  let owned: ReadonlySet<number> | null = null

  const arm = (monitor: ScheduledMonitor, due: number): void => {
    if (monitor.timer !== null) wheel.cancel(monitor.timer)
    monitor.timer = wheel.add(due, monitor)
  }

  const remove = (monitor: ScheduledMonitor): void => {
    if (monitor.timer !== null) wheel.cancel(monitor.timer)
    monitor.gone = true
    listener.left(monitor)
    monitors.delete(monitor.assignment.monitorId)
  }

  const own = (partitions: ReadonlySet<number>): void => {
    owned = partitions
    for (const monitor of monitors.values()) {
      for (const place of monitor.places) if (!partitions.has(place)) monitor.places.delete(place)
      if (monitor.places.size === 0) remove(monitor)
    }
  }

  const put = (partition: number, assignment: Assignment, now: number): void => {
    const before = monitors.get(assignment.monitorId)
    // A replay repeats known revisions, or earlier ones before the latest.
    before?.places.add(partition)
    if (before !== undefined && assignment.revision <= before.assignment.revision) return
    const intervalMs = assignment.intervalSec * 1000
    const monitor: ScheduledMonitor = {
      assignment,
      places: before?.places ?? new Set([partition]),
      rhythm: { intervalMs, phase: phaseOf(assignment.monitorId, intervalMs) },
      host: hostOf(assignment.target),
      run: newCheckRun(),
      streak: afterEdit(before?.streak ?? null),
      wasSlow: before?.wasSlow ?? false,
      busy: false,
      gone: false,
      putOff: false,
      checked: false,
      failures: 0,
      attempt: 0,
      resumeAt: null,
      timer: null
    }
    if (before !== undefined) remove(before)
    monitors.set(assignment.monitorId, monitor)
    listener.joined(monitor)
    const isNew = before === undefined || assignment.revision !== before.assignment.revision
    // The current slot may be unchecked; do not wait for its end, which can be hours away.
    arm(monitor, isNew && isFresh(assignment.changedAt, now) ? now : dueAfterGap(monitor.rhythm, now))
  }

  const change = (partition: number, { assignment, monitorId }: AssignmentChange, now: number): void => {
    // A late message for a partition that another worker now owns.
    if (owned !== null && !owned.has(partition)) return
    if (assignment !== null) return put(partition, assignment, now)
    const monitor = monitors.get(monitorId)
    monitor?.places.delete(partition)
    if (monitor?.places.size === 0) remove(monitor)
  }

  /** After the clock steps back, every timer lies too far ahead: sets them again. */
  const rebuild = (now: number): void => {
    wheel = makeTimingWheel<ScheduledMonitor>(now)
    for (const monitor of monitors.values()) {
      monitor.timer = null
      monitor.resumeAt = null
      arm(monitor, firstStartFrom(monitor.rhythm, now))
    }
  }

  const takeDue = (now: number, onSkip: (dueCheck: DueCheck) => void): ReadonlyArray<DueCheck> => {
    if (now < latest - stepBackMs) {
      rebuild(now)
      latest = now
    }
    latest = Math.max(latest, now)
    const dueChecks: Array<DueCheck> = []
    const offer = (dueCheck: DueCheck): void => {
      if (dueCheck.monitor.busy) return onSkip(dueCheck)
      dueCheck.monitor.busy = true
      dueChecks.push(dueCheck)
    }
    for (const monitor of wheel.advance(now)) {
      const { intervalMs, phase } = monitor.rhythm
      const due = monitor.timer?.due ?? now
      monitor.timer = null
      if (now - due > gapMs && !monitor.putOff) {
        monitor.putOff = true
        monitor.resumeAt = null
        arm(monitor, dueAfterGap(monitor.rhythm, now))
        continue
      }
      const { resumeAt } = monitor
      if (resumeAt !== null) {
        monitor.resumeAt = null
        arm(monitor, resumeAt)
        offer({ monitor, slot: monitor.run.slot, attempt: monitor.attempt, due })
        continue
      }
      monitor.attempt = 0
      // Regions receive an edit in different slots; its time is what they share, so it determines the slot.
      const isEdit = !monitor.checked && isFresh(monitor.assignment.changedAt, now)
      const instant = isEdit ? Math.min(monitor.assignment.changedAt, now) : now
      monitor.putOff = false
      monitor.checked = true
      arm(monitor, isEdit ? dueAfterExtra(monitor.rhythm, instant) : dueAfterRegular(monitor.rhythm, now))
      offer({ monitor, slot: slotAt(instant, phase, intervalMs), attempt: 0, due })
    }
    return dueChecks
  }

  const ended = (monitor: ScheduledMonitor, isDown: boolean, now: number): void => {
    const { assignment: { confirm, timeoutMs }, gone, run, resumeAt, timer } = monitor
    monitor.failures = isDown ? monitor.failures + 1 : 0
    if (!isDown || confirm === undefined || monitor.failures > confirm.most || gone || timer === null || resumeAt !== null) return
    const due = Math.max(now, run.at + confirm.afterSec * 1000)
    // A repetition that is still under way when the next slot begins would cost that slot its check.
    if (due + timeoutMs > timer.due) return
    monitor.attempt++
    monitor.resumeAt = timer.due
    arm(monitor, due)
  }

  return { own, change, takeDue, ended, size: () => monitors.size }
}
