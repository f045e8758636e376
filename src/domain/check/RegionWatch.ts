/** What the beats and results of probe workers tell of their regions: plain state, driven by whoever holds the clock. */
import type { Beat } from "../../../schema/check/Bus.ts"
import type { RegionId } from "../../../schema/check/Region.ts"

/** A worker that has not beaten for this long is gone, ms. Workers beat every 10 s. */
export const beatSilence = 30_000

/** Clocks are corrected by a little all the time; a step back by more makes what was heard lie in the future. */
const stepBackMs = 1000

/** When nobody is heard for longer than it takes until the next beat, it is the listener that hears nothing, ms. */
const longestPause = 12_000

/** After a longer one nothing is known any more of who was there before: the bus was away, ms. */
const deafness = 25_000

/** When nobody refreshed for this long, this process stood still or its clock was moved; a batch in hand for so long is stuck, ms. */
const standstill = 10_000

/** How exactly listening time is known, ms. */
const grain = 1000

interface Heard {
  readonly beat: Beat
  /** By the listener's clock: the probe's own may be off. */
  readonly at: number
}

/** What a round must know of those it waits for, and of whoever waits. */
export interface Attention {
  /**
   * Whether a region is not to be waited for: nothing was heard of it for 30 s in which others were. Cheap: it is asked with
   * every check. Who has only just begun to listen, stood still or was cut off takes no region for gone; else the first one to
   * be heard again would decide alone. One whose probes distrust themselves is there: its reports come, and say so.
   */
  readonly isAway: (region: RegionId, now: number) => boolean
  /** How long this listener has taken in what was sent since an instant, ms: not while it was deaf or stuck. */
  readonly listened: (from: number, now: number) => number
}

export interface RegionWatch extends Attention {
  readonly hear: (beat: Beat, now: number) => void
  /** A fresh result is a sign of life, too: beats may be lost where results are not. */
  readonly hearResult: (region: RegionId, at: number, now: number) => void
  /** A batch of results has come; what it gives back is to be called when that is done with. */
  readonly takeInHand: (now: number) => (now: number) => void
  /** Forgets the workers that are gone, and judges anew; to be called every second. */
  readonly refresh: (now: number) => void
  /** Whether all workers of a region distrust themselves. */
  readonly isSick: (region: RegionId) => boolean
  /** The workers heard of within the silence, as of the last refresh. */
  readonly workers: (region: RegionId) => ReadonlyArray<Heard>
  /** Counts the changes of who is away. */
  readonly changes: () => number
}

/** Which regions were heard, by listening time: time in which somebody was heard, ms. Silence is measured in it. */
const makeHearing = (start: number) => {
  let listening = 0
  /** The listening time when this listener last knew nothing, and when each region was last heard. */
  let ignorant = 0
  const lastWord = new Map<RegionId, number>()
  /** The listening time at some instants of the last minute. */
  let past: Array<{ readonly at: number; readonly listening: number }> = [{ at: start, listening: 0 }]
  let latest = start

  const isGone = (region: RegionId): boolean => listening - (lastWord.get(region) ?? ignorant) >= beatSilence

  return {
    isCutOff: (now: number): boolean => now - latest > deafness || now < latest - stepBackMs,
    isGone,
    beginAgain: (now: number): void => {
      lastWord.clear()
      ignorant = listening
      past = [{ at: now, listening }]
      latest = now
    },
    listen: (region: RegionId, now: number): void => {
      const pause = Math.max(now - latest, 0)
      if (pause <= longestPause) listening += pause
      latest = Math.max(latest, now)
      lastWord.set(region, listening)
      const newest = past.at(-1)
      if (newest !== undefined && now - newest.at < grain) return
      past.push({ at: now, listening })
      while ((past[1]?.listening ?? listening) < listening - 2 * beatSilence) past.shift()
    },
    listenedSince: (from: number): number => {
      const then = past.find(({ at }) => at >= from)
      return then === undefined ? 0 : listening - then.listening
    },
    /** Changes whenever the answer of `isGone` changes for some region. */
    judgement: (): string => [listening - ignorant >= beatSilence, ...[...lastWord.keys()].filter(isGone).sort()].join()
  }
}

/** The batches of results that are being taken in. */
const makeBatches = (onLate: (now: number) => void) => {
  const open = new Set<{ readonly from: number }>()
  let oldest = Number.POSITIVE_INFINITY
  return {
    isStuck: (now: number): boolean => now - oldest > standstill,
    begin: (from: number) => {
      const batch = { from }
      open.add(batch)
      oldest = Math.min(oldest, from)
      return (now: number): void => {
        // Results of the meantime still wait to be taken in, also those of regions that are gone by now.
        if (now - from > standstill) onLate(now)
        open.delete(batch)
        const [first] = open
        oldest = first?.from ?? Number.POSITIVE_INFINITY
      }
    }
  }
}

/** The workers whose beats were heard within the silence. */
const makeWorkers = () => {
  const heard = new Map<RegionId, Map<string, Heard>>()
  const of = (region: RegionId): ReadonlyArray<Heard> => [...(heard.get(region)?.values() ?? [])]
  return {
    of,
    add: (beat: Beat, now: number): void => {
      const workers = heard.get(beat.region) ?? new Map<string, Heard>()
      heard.set(beat.region, workers.set(beat.workerId, { beat, at: now }))
    },
    dropSilent: (now: number): void => {
      for (const [region, workers] of heard) {
        for (const [id, { at }] of workers) if (now - at > beatSilence || at > now + stepBackMs) workers.delete(id)
        if (workers.size === 0) heard.delete(region)
      }
    }
  }
}

export const makeRegionWatch = (start: number): RegionWatch => {
  const hearing = makeHearing(start)
  const batches = makeBatches(hearing.beginAgain)
  const workers = makeWorkers()
  let refreshed = start
  let changes = 0
  let judged = ""

  const stoodStill = (now: number): boolean => now - refreshed > standstill || now < refreshed - stepBackMs
  const isDeaf = (now: number): boolean => hearing.isCutOff(now) || stoodStill(now)

  const listen = (region: RegionId, now: number): void => {
    if (isDeaf(now)) hearing.beginAgain(now)
    hearing.listen(region, now)
  }

  const refresh = (now: number): void => {
    if (stoodStill(now)) hearing.beginAgain(now)
    refreshed = now
    workers.dropSilent(now)
    const judgement = hearing.judgement()
    if (judgement !== judged) changes++
    judged = judgement
  }

  return {
    hear: (beat, now) => {
      listen(beat.region, now)
      workers.add(beat, now)
      refresh(now)
    },
    hearResult: (region, at, now) => {
      // A result that was on its way for long is no sign of life.
      if (Math.abs(now - at) <= beatSilence) listen(region, now)
    },
    takeInHand: batches.begin,
    refresh,
    isAway: (region, now) => !isDeaf(now) && !batches.isStuck(now) && hearing.isGone(region),
    listened: (from, now) => isDeaf(now) || batches.isStuck(now) ? 0 : hearing.listenedSince(from),
    isSick: (region) => {
      const known = workers.of(region)
      return known.length > 0 && !known.some(({ beat }) => beat.healthy)
    },
    workers: workers.of,
    changes: () => changes
  }
}
