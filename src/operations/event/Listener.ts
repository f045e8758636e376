/** One live stream as its workspace's feed sees it: its position, and how to wake it. */
import { Effect } from "effect"

/** Finished checks that wait for one client; a slow client misses the oldest. */
const maxWaitingChecks = 200

/** Plain mutable fields are safe: only the hub and the follower's fiber use them, and neither suspends in between. */
export interface Listener {
  readonly wantsChecks: boolean
  /** Open while there may be something to do. */
  readonly latch: Effect.Latch
  /** The last event that the follower received or skipped. */
  cursor: string
  /** Whether it has been up to date once; before that, it catches up from the database. */
  live: boolean
  /** The process is shutting down. */
  ended: boolean
  /** Finished checks as JSON, shared with the other listeners. */
  readonly checks: Array<string>
}

/** A listener that starts after the event `cursor`. */
export const makeListener = (cursor: string, wantsChecks: boolean): Listener => ({
  wantsChecks,
  latch: Effect.unsafeMakeLatch(),
  cursor,
  live: false,
  ended: false,
  checks: []
})

/** Signals that the feed has grown. */
export const wake = (listener: Listener): void => void listener.latch.unsafeOpen()

export const end = (listener: Listener): void => {
  listener.ended = true
  wake(listener)
}

export const offerCheck = (listener: Listener, json: string): void => {
  listener.checks.push(json)
  if (listener.checks.length > maxWaitingChecks) listener.checks.shift()
  wake(listener)
}
