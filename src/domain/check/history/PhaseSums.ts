/** The time of checks by phase: a sum for each, which add up over any period. */
import type { Timings } from "../../../../schema/check/Check.ts"
import type { PhaseTimes } from "../../../../schema/check/MonitorHistory.ts"
import type { ByteReader, ByteWriter } from "../../tools/Bytes.ts"

/** The phases of a check in order; `response` is all that follows the first byte. */
const phases = ["dns", "connect", "tls", "firstByte", "response"] as const

/** Sums of tenths of a millisecond, and the number of checks with timings. Whole numbers add up exactly. */
export type PhaseSums = Readonly<Record<(typeof phases)[number] | "timed", number>>

export const noPhases: PhaseSums = { timed: 0, dns: 0, connect: 0, tls: 0, firstByte: 0, response: 0 }

/** Rounded as the database rounds. */
const tenths = (ms: number | null): number => Math.max(0, Math.floor((ms ?? 0) * 10 + 0.5))

const sumsOf = ({ connectMs, dnsMs, firstByteMs, tlsMs, totalMs }: Timings): PhaseSums => {
  const known = { dns: tenths(dnsMs), connect: tenths(connectMs), tls: tenths(tlsMs), firstByte: tenths(firstByteMs) }
  const before = known.dns + known.connect + known.tls + known.firstByte
  return { timed: 1, ...known, response: Math.max(0, tenths(totalMs) - before) }
}

export const mergePhases = (all: ReadonlyArray<PhaseSums>): PhaseSums =>
  all.reduce((sum, one) => ({
    timed: sum.timed + one.timed,
    dns: sum.dns + one.dns,
    connect: sum.connect + one.connect,
    tls: sum.tls + one.tls,
    firstByte: sum.firstByte + one.firstByte,
    response: sum.response + one.response
  }), noPhases)

export const phaseSumsOf = (timings: ReadonlyArray<Timings>): PhaseSums => mergePhases(timings.map(sumsOf))

/** The mean time of each phase, ms with one decimal; null without a check that has timings. */
export const meanPhases = (sums: PhaseSums): PhaseTimes | null => {
  if (sums.timed === 0) return null
  const mean = (sum: number) => Math.round(sum / sums.timed) / 10
  return {
    dnsMs: mean(sums.dns),
    connectMs: mean(sums.connect),
    tlsMs: mean(sums.tls),
    firstByteMs: mean(sums.firstByte),
    responseMs: mean(sums.response)
  }
}

export const writePhases = (writer: ByteWriter, sums: PhaseSums): void => {
  writer.whole(sums.timed)
  if (sums.timed > 0) { for (const phase of phases) writer.whole(sums[phase]) }
}

export const readPhases = (reader: ByteReader): PhaseSums => {
  const timed = reader.whole()
  if (timed === 0) return noPhases
  return {
    timed,
    dns: reader.whole(),
    connect: reader.whole(),
    tls: reader.whole(),
    firstByte: reader.whole(),
    response: reader.whole()
  }
}
