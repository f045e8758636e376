/** One follower of a workspace's events, as the hub sees it: what it waits for, and how it is woken. */
import { Effect } from "effect"
import type { LiveCheck } from "../../../schema/check/LiveCheck.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"

/** Checks that wait for a client that reads more slowly than they finish; beyond it the oldest are dropped. */
const keptChecks = 1_000

/** Plain mutable fields: only the hub and the follower's own fiber touch them, and neither waits in between. */
export interface Listener {
  readonly workspaceId: WorkspaceId
  readonly wantsChecks: boolean
  /** Open while there may be something to do. */
  readonly latch: Effect.Latch
  /** The last event that the follower was given. */
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

/** Tells the listener that there may be new events. */
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
  if (listener.checks.length > keptChecks) listener.checks.shift()
  listener.latch.unsafeOpen()
}
