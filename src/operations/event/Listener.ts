/** The hub's view of one follower: what it waits for, and how to wake it. */
import { Effect } from "effect"
import type { LiveCheck } from "../../../schema/check/LiveCheck.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"

/** Buffered checks per client; when a slow client exceeds it, the oldest are dropped. */
const maxBufferedChecks = 1_000

/** Plain mutable fields are safe: only the hub and the follower's fiber use them, and neither suspends in between. */
export interface Listener {
  readonly workspaceId: WorkspaceId
  readonly wantsChecks: boolean
  /** Open while there may be something to do. */
  readonly latch: Effect.Latch
  /** The last event that the follower received. */
  cursor: string
  /** There may be events after the cursor. */
  dirty: boolean
  /** The process is shutting down. */
  ended: boolean
  checks: Array<LiveCheck>
}

/** A listener that starts by reading the events after `cursor`. */
export const makeListener = (workspaceId: WorkspaceId, cursor: string, wantsChecks: boolean): Listener => ({
  workspaceId,
  wantsChecks,
  latch: Effect.unsafeMakeLatch(),
  cursor,
  dirty: true,
  ended: false,
  checks: []
})

/** Signals that there may be new events. */
export const wake = (listener: Listener): void => {
  listener.dirty = true
  listener.latch.unsafeOpen()
}

export const end = (listener: Listener): void => {
  listener.ended = true
  listener.latch.unsafeOpen()
}

export const offerCheck = (listener: Listener, check: LiveCheck): void => {
  listener.checks.push(check)
  if (listener.checks.length > maxBufferedChecks) listener.checks.shift()
  listener.latch.unsafeOpen()
}
