/** The error of a probe's clock, from the servers' times as they arrive: plain state; the caller passes the readings. */

/** A time of the servers, and this machine's two clocks when it arrived, ms. */
interface TimeReading {
  readonly theirs: number
  readonly wall: number
  /** Not affected when the machine's time is set. */
  readonly steady: number
}

/** Readings older than this are forgotten, ms: transport delays vary, and the shortest of a minute is short. */
const memory = 60_000

/** Readings must span this, ms: those that waited somewhere arrive together, and all look late. */
const leastSpan = 2_000

/** A larger difference between the steps of the two clocks means that the time was set, ms. */
const tolerableStep = 250

/** A clock that is off by less needs no correction, ms. NTP keeps clocks far within it. */
const tolerableSkew = 500

/** A correction is kept while the measure differs by less from it, ms: each change is a step in the schedule. */
const tolerableChange = 250

/** A clock that is off by more is not relied on, ms: the machine's libraries judge the validity of certificates by it. */
const mostSkew = 3_600_000

/** The correction for a measured skew, given the present one; positive if the clock is ahead. */
export const correctionFor = (skew: number, present: number): number =>
  Math.abs(skew - present) <= tolerableChange ? present : Math.abs(skew) <= tolerableSkew ? 0 : skew

/** The distance of two clocks in words, such as "5 min 2 s ahead". */
export const skewInWords = (skew: number): string => {
  const seconds = Math.round(Math.abs(skew) / 1000)
  const parts = [[Math.floor(seconds / 3600), "h"], [Math.floor(seconds / 60) % 60, "min"], [seconds % 60, "s"]] as const
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
  return `${shown.length === 0 ? "0 s" : shown.join(" ")} ${skew > 0 ? "ahead" : "behind"}`
}

/** The note on a region's clocks; null if they are right. */
export const clockNote = (skew: number | null): string | null =>
  skew === null || correctionFor(skew, 0) === 0 ? null : `Clock ${skewInWords(skew)}`

/** Why results do not count while the clock is off by so much; null if they do. */
export const reasonAgainst = (skew: number): string | null =>
  Math.abs(skew) <= mostSkew ? null : `The clock of the probe is ${skewInWords(skew)}. Set it, for example with NTP`

export const makeClockSkew = () => {
  let readings: ReadonlyArray<TimeReading> = []
  let correction = 0

  const measured = (): number | null => {
    const first = readings[0]
    const last = readings.at(-1)
    if (first === undefined || last === undefined || last.steady - first.steady < leastSpan) return null
    return readings.reduce((least, { theirs, wall }) => Math.min(least, wall - theirs), Number.POSITIVE_INFINITY)
  }

  return {
    hear: (reading: TimeReading): void => {
      const last = readings.at(-1)
      const wasSet = last !== undefined &&
        Math.abs(reading.wall - last.wall - (reading.steady - last.steady)) > tolerableStep
      readings = [...(wasSet ? [] : readings.filter(({ steady }) => reading.steady - steady <= memory)), reading]
      const skew = measured()
      if (skew !== null) correction = correctionFor(skew, correction)
    },
    /** The skew, ms, positive if the clock is ahead, too large by at most the shortest transport delay; null after too few readings. */
    measured,
    /** To subtract from the machine's time, ms. */
    correction: (): number => correction
  }
}
