/** The schedule of a worker: which monitors it checks, and when each is due. Plain state, driven by the worker's clock. */
import type { Assignment, AssignmentChange } from "../../schema/check/Bus.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import { dueAfterExtra, dueAfterGap, dueAfterRegular, firstStartFrom, isFresh } from "../domain/check/history/CheckTimes.ts"
import type { Rhythm } from "../domain/check/history/CheckTimes.ts"
import { afterEdit } from "../domain/check/history/EvidenceSampling.ts"
import type { FailureStreak } from "../domain/check/history/EvidenceSampling.ts"
import { makeTimingWheel } from "../domain/check/probe/TimingWheel.ts"
import type { Timer } from "../domain/check/probe/TimingWheel.ts"
import { phaseOf, slotAt } from "../domain/check/round/CheckSlot.ts"
import { hostOf } from "./Host.ts"
import { newLook } from "./Look.ts"
import type { Look } from "./Look.ts"

/** A check this late was delayed by a gap, not by load. Overdue checks are then spread out to avoid a storm. */
const gapMs = 5000

/** Small clock corrections are normal; only a larger step back rebuilds the schedule. */
const stepBackMs = 1000

/** A monitor on the schedule. */
export interface Post {
  readonly assignment: Assignment
  /** The owned partitions that have an assignment of it: more than one while the bus moves it to another. */
  readonly places: Set<number>
  readonly rhythm: Rhythm
  /** The target's host; empty if it has none. */
  readonly host: string
  readonly look: Look
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
  timer: Timer<Post> | null
}

/** A check to start now. */
export interface Duty {
  readonly post: Post
  readonly slot: number
  /** Which repetition of the slot's check it is; 0 for the check itself. */
  readonly attempt: number
  /** When it was due (ms since 1970). */
  readonly due: number
}

export interface Rota {
  /** Replaces the set of owned partitions; drops monitors of all others. */
  readonly own: (partitions: ReadonlySet<number>) => void
  readonly change: (partition: number, change: AssignmentChange, now: number) => void
  /** The due checks; `onSkip` receives those of monitors whose last check has not ended. */
  readonly takeDue: (now: number, onSkip: (duty: Duty) => void) => ReadonlyArray<Duty>
  /** Takes note of a check that has ended. A failed one is repeated soon if the monitor wants that and the next slot leaves time. */
  readonly ended: (post: Post, isDown: boolean, now: number) => void
  readonly size: () => number
}

/** Notified when monitors join or leave the schedule. */
export interface RotaListener {
  readonly joined: (post: Post) => void
  readonly left: (post: Post) => void
}

const noListener: RotaListener = { joined: () => {}, left: () => {} }

export const makeRota = (start: number, listener: RotaListener = noListener): Rota => {
  const posts = new Map<MonitorId, Post>()
  let wheel = makeTimingWheel<Post>(start)
  let latest = start
  let owned: ReadonlySet<number> | null = null

  const arm = (post: Post, due: number): void => {
    if (post.timer !== null) wheel.cancel(post.timer)
    post.timer = wheel.add(due, post)
  }

  const remove = (post: Post): void => {
    if (post.timer !== null) wheel.cancel(post.timer)
    post.gone = true
    listener.left(post)
    posts.delete(post.assignment.monitorId)
  }

  const own = (partitions: ReadonlySet<number>): void => {
    owned = partitions
    for (const post of posts.values()) {
      for (const place of post.places) if (!partitions.has(place)) post.places.delete(place)
      if (post.places.size === 0) remove(post)
    }
  }

  const put = (partition: number, assignment: Assignment, now: number): void => {
    const before = posts.get(assignment.monitorId)
    // A replay repeats known revisions, or earlier ones before the latest.
    before?.places.add(partition)
    if (before !== undefined && assignment.revision <= before.assignment.revision) return
    const intervalMs = assignment.intervalSec * 1000
    const post: Post = {
      assignment,
      places: before?.places ?? new Set([partition]),
      rhythm: { intervalMs, phase: phaseOf(assignment.monitorId, intervalMs) },
      host: hostOf(assignment.target),
      look: newLook(),
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
    posts.set(assignment.monitorId, post)
    listener.joined(post)
    const isNew = before === undefined || assignment.revision !== before.assignment.revision
    // The current slot may be unchecked; do not wait for its end, which can be hours away.
    arm(post, isNew && isFresh(assignment.changedAt, now) ? now : dueAfterGap(post.rhythm, now))
  }

  const change = (partition: number, { assignment, monitorId }: AssignmentChange, now: number): void => {
    // A late message for a partition that another worker now owns.
    if (owned !== null && !owned.has(partition)) return
    if (assignment !== null) return put(partition, assignment, now)
    const post = posts.get(monitorId)
    post?.places.delete(partition)
    if (post?.places.size === 0) remove(post)
  }

  /** After the clock steps back, every timer lies too far ahead: sets them again. */
  const rebuild = (now: number): void => {
    wheel = makeTimingWheel<Post>(now)
    for (const post of posts.values()) {
      post.timer = null
      post.resumeAt = null
      arm(post, firstStartFrom(post.rhythm, now))
    }
  }

  const takeDue = (now: number, onSkip: (duty: Duty) => void): ReadonlyArray<Duty> => {
    if (now < latest - stepBackMs) {
      rebuild(now)
      latest = now
    }
    latest = Math.max(latest, now)
    const duties: Array<Duty> = []
    const offer = (duty: Duty): void => {
      if (duty.post.busy) return onSkip(duty)
      duty.post.busy = true
      duties.push(duty)
    }
    for (const post of wheel.advance(now)) {
      const { intervalMs, phase } = post.rhythm
      const due = post.timer?.due ?? now
      post.timer = null
      if (now - due > gapMs && !post.putOff) {
        post.putOff = true
        post.resumeAt = null
        arm(post, dueAfterGap(post.rhythm, now))
        continue
      }
      const { resumeAt } = post
      if (resumeAt !== null) {
        post.resumeAt = null
        arm(post, resumeAt)
        offer({ post, slot: post.look.slot, attempt: post.attempt, due })
        continue
      }
      post.attempt = 0
      // Regions receive an edit in different slots; its time is what they share, so it determines the slot.
      const isEdit = !post.checked && isFresh(post.assignment.changedAt, now)
      const instant = isEdit ? Math.min(post.assignment.changedAt, now) : now
      post.putOff = false
      post.checked = true
      arm(post, isEdit ? dueAfterExtra(post.rhythm, instant) : dueAfterRegular(post.rhythm, now))
      offer({ post, slot: slotAt(instant, phase, intervalMs), attempt: 0, due })
    }
    return duties
  }

  const ended = (post: Post, isDown: boolean, now: number): void => {
    const { assignment: { confirm, timeoutMs }, gone, look, resumeAt, timer } = post
    post.failures = isDown ? post.failures + 1 : 0
    if (!isDown || confirm === undefined || post.failures > confirm.most || gone || timer === null || resumeAt !== null) return
    const due = Math.max(now, look.at + confirm.afterSec * 1000)
    // A repetition that is still under way when the next slot begins would cost that slot its check.
    if (due + timeoutMs > timer.due) return
    post.attempt++
    post.resumeAt = timer.due
    arm(post, due)
  }

  return { own, change, takeDue, ended, size: () => posts.size }
}
