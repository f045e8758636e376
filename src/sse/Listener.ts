/** One open stream as the hub knows it: what it waits for, and how it is woken. */
import { Effect } from "effect"
import type { LiveCheck } from "../../schema/check/LiveCheck.ts"
import type { WorkspaceId } from "../../schema/Ids.ts"

/** Of a client that reads more slowly than checks finish, the oldest are dropped: they are live only. */
const keptChecks = 1_000

/** Plain fields: only the hub and the stream's own fiber touch them, and nothing waits in between. */
export interface Listener {
  readonly workspaceId: WorkspaceId
  readonly wantsChecks: boolean
  /** Open while there may be something to do. */
  readonly latch: Effect.Latch
  /** The last event that was handed out. */
  cursor: string
  /** There may be events after the cursor. */
  dirty: boolean
  /** The process is going down. */
  ended: boolean
  checks: Array<LiveCheck>
}

/** A listener that first of all reads what is behind `cursor`. */
export const makeListener = (workspaceId: WorkspaceId, cursor: string, wantsChecks: boolean): Listener => ({
  workspaceId,
  wantsChecks,
  latch: Effect.unsafeMakeLatch(),
  cursor,
  dirty: true,
  ended: false,
  checks: []
})

/** There may be new events. */
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
