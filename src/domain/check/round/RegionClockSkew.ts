/** The figures of a region from the beats of its workers: the errors of their clocks, and how late their checks begin. */
import type { Beat } from "../../../../schema/check/Bus.ts"
import type { RegionLateness } from "../../../../schema/check/Region.ts"
import { correctionFor, skewInWords } from "../probe/ClockSkew.ts"

/** Of the worker whose clock is most off, ms, positive if it is ahead: a mean would hide it. Null if no worker measured it. */
export const regionClockSkew = (beats: ReadonlyArray<Beat>): number | null =>
  beats.reduce<number | null>((most, { clockSkewMs }) => {
    if (clockSkewMs === null) return most
    return most === null || Math.abs(clockSkewMs) > Math.abs(most) ? clockSkewMs : most
  }, null)

/** The clock skew of each worker that measured it, the most skewed first: at most 50, with ids of at most 64 characters. */
export const mostSkewed = (beats: ReadonlyArray<Beat>) =>
  beats
    .flatMap(({ clockSkewMs, workerId }) => clockSkewMs === null ? [] : [{ workerId: workerId.slice(0, 64), clockSkewMs }])
    .sort((one, other) => Math.abs(other.clockSkewMs) - Math.abs(one.clockSkewMs))
    .slice(0, 50)

const correctedBy = (beat: Beat | null): number => correctionFor(beat?.clockSkewMs ?? 0, 0)

/** A line for the log when a worker's clock turns out to be off; null otherwise. */
export const skewWarning = (before: Beat | null, beat: Beat): string | null => {
  const skew = correctedBy(beat)
  return skew === 0 || correctedBy(before) !== 0
    ? null
    : `The clock of probe worker ${beat.workerId} in region ${beat.region} is ${
      skewInWords(skew)
    }; the times of its checks are corrected`
}

/** Null without beats. The percentile is that of the latest worker: a mean would hide a starved one. */
export const regionLateness = (beats: ReadonlyArray<Beat>): RegionLateness | null =>
  beats.length === 0 ? null : {
    checks: beats.reduce((sum, { looks }) => sum + looks, 0),
    late: beats.reduce((sum, { looksLate }) => sum + looksLate, 0),
    p99Ms: beats.reduce((most, { latenessP99Ms }) => Math.max(most, latenessP99Ms), 0)
  }
