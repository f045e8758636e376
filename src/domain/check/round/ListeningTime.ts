/** Listening time: the time in which any region was heard, by which silence is measured. Else the listener itself may be cut off. */
import type { RegionId } from "../../../../schema/check/Region.ts"

/** Clocks are corrected by small amounts all the time. After a larger step back, earlier instants would lie in the future, ms. */
export const toleratedStepBack = 1000

/** Workers beat every 10 s. A pause longer than this is not counted: the listener was cut off, not the workers silent, ms. */
const longestPause = 12_000

/** After a longer pause the listener knows nothing about the regions: the bus was away, ms. */
const cutOffAfter = 25_000

/** Without a refresh for this long, the process was suspended or its clock was moved, ms. */
const suspendedAfter = 10_000

const resolution = 1000

/** How much listening time the history covers, ms. */
const historyLength = 60_000

export const makeListeningTime = (start: number) => {
  let total = 0
  let totalAtRestart = 0
  /** When each region was last heard, ms, and the total then. */
  const lastHeard = new Map<RegionId, { readonly at: number; readonly total: number }>()
  let history: Array<{ readonly at: number; readonly total: number }> = [{ at: start, total: 0 }]
  let lastHeardAt = start
  let refreshedAt = start

  const wasSuspended = (now: number): boolean => now - refreshedAt > suspendedAfter || now < refreshedAt - toleratedStepBack
  const isCutOff = (now: number): boolean =>
    now - lastHeardAt > cutOffAfter || now < lastHeardAt - toleratedStepBack || wasSuspended(now)

  const restart = (now: number): void => {
    lastHeard.clear()
    totalAtRestart = total
    history = [{ at: now, total }]
    lastHeardAt = now
  }

  return {
    heard: (region: RegionId, now: number): void => {
      if (isCutOff(now)) restart(now)
      const pause = Math.max(now - lastHeardAt, 0)
      if (pause <= longestPause) total += pause
      lastHeardAt = Math.max(lastHeardAt, now)
      lastHeard.set(region, { at: now, total })
      const newest = history.at(-1)
      if (newest !== undefined && now - newest.at < resolution) return
      history.push({ at: now, total })
      while ((history[1]?.total ?? total) < total - historyLength) history.shift()
    },
    /** Records that the process runs; to be called every second. */
    refresh: (now: number): void => {
      if (wasSuspended(now)) restart(now)
      refreshedAt = now
    },
    /** Forgets when regions were heard, and measures all silence from now on. */
    restart,
    /** True if the listener has heard nobody for so long, or was suspended, that it can judge no region. */
    isCutOff,
    /** Listening time since a region was last heard, or since the last restart, ms. */
    silenceOf: (region: RegionId): number => total - (lastHeard.get(region)?.total ?? totalAtRestart),
    /** True if a region was heard after an instant, and after the last restart. */
    heardSince: (region: RegionId, at: number): boolean => (lastHeard.get(region)?.at ?? Number.NEGATIVE_INFINITY) > at,
    /** Listening time since the last restart, ms. */
    sinceRestart: (): number => total - totalAtRestart,
    /** Listening time since an instant of the last minute, ms; exact to a second. */
    since: (from: number): number => {
      const then = history.find(({ at }) => at >= from)
      return then === undefined ? 0 : total - then.total
    },
    regions: (): Iterable<RegionId> => lastHeard.keys()
  }
}
