/** The codes by which people prove that a contact way is theirs: how many are sent, how long one holds, how often it is tried. */
import { DateTime, Duration } from "effect"
import { timingSafeEqual } from "node:crypto"

/** The record of a way's codes. `hash` is a keyed hash of the last one. */
export interface CodeState {
  readonly hash: Uint8Array | null
  readonly expiresAt: DateTime.Utc | null
  readonly tries: number
  /** Sent in the hour that began at `since`. */
  readonly sent: number
  readonly since: DateTime.Utc | null
}

const lifetime = Duration.minutes(10)
const mostTries = 5
const mostAnHour = 5

/** The state after another code is sent; null if as many as allowed were sent in this hour. */
export const afterSending = (state: CodeState, hash: Uint8Array, now: DateTime.Utc): CodeState | null => {
  const isFresh = state.since === null || DateTime.lessThanOrEqualTo(DateTime.add(state.since, { hours: 1 }), now)
  if (!isFresh && state.sent >= mostAnHour) return null
  return {
    hash,
    expiresAt: DateTime.addDuration(now, lifetime),
    tries: 0,
    sent: isFresh ? 1 : state.sent + 1,
    since: isFresh ? now : state.since
  }
}

/** The verdict on an entered code, by its hash. */
export const judgeCode = (state: CodeState, hash: Uint8Array, now: DateTime.Utc): "right" | "wrong" | "over" => {
  if (state.hash === null || state.expiresAt === null || state.tries >= mostTries || DateTime.greaterThan(now, state.expiresAt)) {
    return "over"
  }
  return state.hash.length === hash.length && timingSafeEqual(state.hash, hash) ? "right" : "wrong"
}
