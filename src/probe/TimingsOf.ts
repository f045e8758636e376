/** Times of a check as they are stored: to a tenth of a millisecond. */
import type { Timings } from "../../schema/check/Check.ts"
import type { ConnectionFacts } from "../egress/Connection.ts"

export const tenths = (ms: number): number => Math.round(ms * 10) / 10
const tenthsOrNull = (ms: number | null): number | null => (ms === null ? null : tenths(ms))

interface Timed extends Pick<ConnectionFacts, "dnsMs" | "connectMs" | "tlsMs"> {
  /** Set only by protocols that answer. */
  readonly firstByteMs?: number | null
  readonly totalMs: number
}

export const timingsOf = ({ connectMs, dnsMs, firstByteMs = null, tlsMs, totalMs }: Timed): Timings => ({
  dnsMs: tenthsOrNull(dnsMs),
  connectMs: tenthsOrNull(connectMs),
  tlsMs: tenthsOrNull(tlsMs),
  firstByteMs: tenthsOrNull(firstByteMs),
  totalMs: tenths(totalMs)
})
