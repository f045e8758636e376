/** The schedule of a worker: which monitors it checks, and when each is due. Plain state, driven by the worker's clock. */
import type { Assignment, AssignmentChange } from "../../schema/check/Bus.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import { phaseOf, slotAt } from "../domain/check/CheckSlot.ts"
import { dueAfterExtra, dueAfterGap, dueAfterRegular, firstStartFrom, isFresh } from "../domain/check/CheckTimes.ts"
import type { Rhythm } from "../domain/check/CheckTimes.ts"
import { afterEdit } from "../domain/check/EvidenceSampling.ts"
import type { FailureStreak } from "../domain/check/EvidenceSampling.ts"
import { makeTimingWheel } from "../domain/check/TimingWheel.ts"
import type { Timer } from "../domain/check/TimingWheel.ts"
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
  readonly partition: number
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
  timer: Timer<Post> | null
}

/** A check to start now. */
export interface Duty {
  readonly post: Post
  readonly slot: number
  /** When it was due (ms since 1970). */
  readonly due: number
}

export interface Rota {
  /** Replaces the set of owned partitions; drops monitors of all others. */
  readonly own: (partitions: ReadonlySet<number>) => void
  readonly change: (partition: number, change: AssignmentChange, now: number) => void
  /** The due checks; `onSkip` receives those of monitors whose last check has not ended. */
  readonly takeDue: (now: number, onSkip: (duty: Duty) => void) => ReadonlyArray<Duty>
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
    for (const post of posts.values()) if (!partitions.has(post.partition)) remove(post)
  }

  const put = (partition: number, assignment: Assignment, now: number): void => {
    const before = posts.get(assignment.monitorId)
    // A replay repeats known revisions, or earlier ones before the latest.
    if (before !== undefined && before.partition === partition && assignment.revision <= before.assignment.revision) return
    const intervalMs = assignment.intervalSec * 1000
    const post: Post = {
      assignment,
      partition,
      rhythm: { intervalMs, phase: phaseOf(assignment.monitorId, intervalMs) },
      host: hostOf(assignment.target),
      look: newLook(),
      streak: afterEdit(before?.streak ?? null),
      wasSlow: before?.wasSlow ?? false,
      busy: false,
      gone: false,
      putOff: false,
      checked: false,
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
    if (post !== undefined) remove(post)
  }

  /** After the clock steps back, every timer lies too far ahead: sets them again. */
  const rebuild = (now: number): void => {
    wheel = makeTimingWheel<Post>(now)
    for (const post of posts.values()) {
      post.timer = null
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
    for (const post of wheel.advance(now)) {
      const { intervalMs, phase } = post.rhythm
      const due = post.timer?.due ?? now
      post.timer = null
      if (now - due > gapMs && !post.putOff) {
        post.putOff = true
        arm(post, dueAfterGap(post.rhythm, now))
        continue
      }
      // Regions receive an edit in different slots; its time is what they share, so it determines the slot.
      const isEdit = !post.checked && isFresh(post.assignment.changedAt, now)
      const instant = isEdit ? Math.min(post.assignment.changedAt, now) : now
      post.putOff = false
      post.checked = true
      arm(post, isEdit ? dueAfterExtra(post.rhythm, instant) : dueAfterRegular(post.rhythm, now))
      const duty = { post, slot: slotAt(instant, phase, intervalMs), due }
      if (post.busy) {
        onSkip(duty)
        continue
      }
      post.busy = true
      duties.push(duty)
    }
    return duties
  }

  return { own, change, takeDue, size: () => posts.size }
}
