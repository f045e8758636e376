/** Decides whether a check waits for the rest of a body: only while something that may still come can change its verdict. */
import type { ResponseHead } from "./ResponseHead.ts"

/** A body that has not ended. Times are in milliseconds. */
interface OpenBody {
  readonly headers: ResponseHead["headers"]
  /** The time since the head, and the part of it in which nothing more came. */
  readonly bodyMs: number
  readonly quietMs: number
  /** The time since the check began. */
  readonly totalMs: number
}

/** How long a body is read that no expectation reads: for the evidence, and to see whether it is what its head says. */
const readingMs = 1000

/** Media that go on for as long as somebody listens. */
const streamed = /^\s*(?:text\/event-stream|multipart\/x-mixed-replace|audio\/|video\/)/i

const saysItsEnd = (headers: OpenBody["headers"]): boolean => headers["content-length"] !== undefined

/** The body has no end to wait for. */
export const isStream = (headers: OpenBody["headers"]): boolean =>
  !saysItsEnd(headers) && streamed.test(headers["content-type"] ?? "")

/** Whether a check that expects nothing of the body can end before it. An end after `degradedAfterMs` would still be news. */
export const isReadEnough = ({ bodyMs, headers, totalMs }: OpenBody, degradedAfterMs: number | null): boolean =>
  isStream(headers) ||
  (!saysItsEnd(headers) && bodyMs >= readingMs && (degradedAfterMs === null || totalMs > degradedAfterMs))

/** The same when the time is up: a body that says its end must then at least keep coming. */
export const isFineUnended = ({ bodyMs, headers, quietMs }: OpenBody): boolean => !saysItsEnd(headers) || quietMs < bodyMs / 2

/** The part of `totalMs` that does not count: a body whose end is not awaited counts up to its head, unless it is too slow. */
export const unneededMs = (
  headers: OpenBody["headers"],
  bodyMs: number,
  totalMs: number,
  degradedAfterMs: number | null
): number => (degradedAfterMs !== null && totalMs > degradedAfterMs && !isStream(headers) ? 0 : bodyMs)
