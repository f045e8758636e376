/** The monitors a worker checks, and which of them are due: plain state, driven by the worker's clock. */
import type { Assignment, AssignmentChange } from "../../schema/check/Bus.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import { phaseOf, slotAt } from "../domain/check/CheckSlot.ts"
import { dueAfterExtra, dueAfterGap, dueAfterRegular, firstStartFrom, isFresh } from "../domain/check/CheckTimes.ts"
import type { Rhythm } from "../domain/check/CheckTimes.ts"
import { makeTimingWheel } from "../domain/check/TimingWheel.ts"
import type { Timer } from "../domain/check/TimingWheel.ts"
import { hostOf } from "./Host.ts"
import { newLook } from "./Look.ts"
import type { Look } from "./Look.ts"

/** A check later than this was held up by a gap, not by load; all that are due then would make a storm. */
const gapMs = 5000

/** Clocks are corrected by a little all the time; only a step back by more makes the plan void. */
const stepBackMs = 1000

/** A monitor on the rota. */
export interface Post {
  readonly assignment: Assignment
  readonly partition: number
  readonly rhythm: Rhythm
  /** The host that its target is at; empty where it names none. */
  readonly host: string
  readonly look: Look
  /** Whether the latest look saw something else than up: the next good one is evidence of recovery. */
  wasBad: boolean
  /** Whether the latest look lasted long: the next one begins in the slow lane. */
  wasSlow: boolean
  /** A look is under way or waits to begin. */
  busy: boolean
  /** It left the rota: a look that has not begun is dropped. */
  gone: boolean
  /** Whether it was looked at since it came here. */
  checked: boolean
  /** The latest look was put off because of a gap; it is not put off twice. */
  putOff: boolean
  timer: Timer<Post> | null
}

/** A look to be made now. */
export interface Duty {
  readonly post: Post
  readonly slot: number
  /** When it was due (ms since 1970). */
  readonly due: number
}

export interface Rota {
  /** Keeps to these partitions from now on. */
  readonly own: (partitions: ReadonlySet<number>) => void
  readonly change: (partition: number, change: AssignmentChange, now: number) => void
  /** The looks to be made; `onSkip` gets those of monitors whose last look has not ended. */
  readonly takeDue: (now: number, onSkip: (duty: Duty) => void) => ReadonlyArray<Duty>
  readonly size: () => number
}

/** Hears which monitors are on the rota. */
export interface RotaListener {
  readonly joined: (post: Post) => void
  readonly left: (post: Post) => void
}

const nobody: RotaListener = { joined: () => {}, left: () => {} }

export const makeRota = (start: number, listener: RotaListener = nobody): Rota => {
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
    // A replay tells what is known, or an earlier revision on its way to the latest.
    if (before !== undefined && before.partition === partition && assignment.revision <= before.assignment.revision) return
    const intervalMs = assignment.intervalSec * 1000
    const post: Post = {
      assignment,
      partition,
      rhythm: { intervalMs, phase: phaseOf(assignment.monitorId, intervalMs) },
      host: hostOf(assignment.target),
      look: newLook(),
      wasBad: before?.wasBad ?? false,
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
    // Nobody knows whether its present slot was looked at: one that lasts for hours is not waited out.
    arm(post, isNew && isFresh(assignment.changedAt, now) ? now : dueAfterGap(post.rhythm, now))
  }

  const change = (partition: number, { assignment, monitorId }: AssignmentChange, now: number): void => {
    // A straggler of a partition that has gone to another worker.
    if (owned !== null && !owned.has(partition)) return
    if (assignment !== null) return put(partition, assignment, now)
    const post = posts.get(monitorId)
    if (post !== undefined) remove(post)
  }

  /** After a step back of the clock every timer lies too far ahead: they are set anew. */
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
      // All regions hear of an edit at about its time, but not in the same slot: it is what they share.
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
