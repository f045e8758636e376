/** Reads what the system's ping program printed (iputils and busybox). */

export interface PingReport {
  readonly sent: number
  readonly received: number
  /** The time of the first reply, ms; null without one. */
  readonly firstMs: number | null
  /** A router's error, such as "Destination Host Unreachable"; null without one. */
  readonly refusal: string | null
}

export const readPing = (output: string): PingReport => {
  const totals = /^(\d+) packets transmitted, (\d+) (?:packets )?received/m.exec(output)
  const time = /\btime[=<]([\d.]+) ms/.exec(output)
  const refusal = /\b(Destination [\w ]{1,60}|Time to live exceeded|Packet filtered)/.exec(output)
  return {
    sent: Number(totals?.[1] ?? 0),
    received: Number(totals?.[2] ?? 0),
    firstMs: time?.[1] === undefined ? null : Number(time[1]),
    refusal: refusal?.[1]?.trim() ?? null
  }
}
