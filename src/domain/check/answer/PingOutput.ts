/** Reads what the system's ping program printed (iputils and busybox). */

export type PingOutput = ReturnType<typeof readPing>

export const readPing = (output: string) => {
  const totals = /^(\d+) packets transmitted, (\d+) (?:packets )?received/m.exec(output)
  const time = /\btime[=<]([\d.]+) ms/.exec(output)
  const refusal = /\b(Destination [\w ]{1,60}|Time to live exceeded|Packet filtered)/.exec(output)
  return {
    sent: Number(totals?.[1] ?? 0),
    received: Number(totals?.[2] ?? 0),
    /** The time of the first reply, ms; null without one. */
    firstMs: time?.[1] === undefined ? null : Number(time[1]),
    /** A router's error, such as "Destination Host Unreachable"; null without one. */
    refusal: refusal?.[1]?.trim() ?? null
  }
}
