/** The meaning of a difference between this machine's clock and another one. */
import { failed, fine, type Seen, warning } from "./Diagnosis.ts"

const ntp = "Run NTP on both machines (chrony, systemd-timesyncd)."

/** A probe whose clock is further off stores results that do not count. */
const mostOffMs = 60 * 60_000

const textOf = (ms: number): string => (Math.abs(ms) < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`)

/** `offsetMs`: how far this clock is ahead. `unsureMs`: half a round trip, and the resolution of what the other said. */
export const clockSeen = (other: string, offsetMs: number, unsureMs: number): Seen => {
  const off = Math.max(0, Math.abs(offsetMs) - unsureMs)
  const found = `This machine's clock is ${textOf(Math.abs(offsetMs))} ${offsetMs < 0 ? "behind" : "ahead of"} ${other} (± ${
    textOf(unsureMs)
  })`
  return off > mostOffMs ? failed(found, ntp) : off > 1000 ? warning(found, ntp) : fine(found)
}
