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

export const makeRegionWatch = (start: number): RegionWatch => {
  const heard = new Map<RegionId, Map<string, Heard>>()
  /** Time in which somebody was heard, ms: what silence is measured in. */
  let listening = 0
  /** How much of it had passed when this listener last knew nothing, and when each region was last heard. */
  let ignorant = 0
  const lastWord = new Map<RegionId, number>()
  /** How much of it had passed at some instants of the last minute. */
  let past: Array<{ readonly at: number; readonly listening: number }> = [{ at: start, listening: 0 }]
  let latest = start
  let refreshed = start
  const inHand = new Set<{ readonly from: number }>()
  let stuckSince = Number.POSITIVE_INFINITY
  let changes = 0
  let judged = ""

  const stoodStill = (now: number): boolean => now - refreshed > standstill || now < refreshed - stepBackMs
  const isDeaf = (now: number): boolean => now - latest > deafness || now < latest - stepBackMs || stoodStill(now)
  const isStuck = (now: number): boolean => now - stuckSince > standstill

  const beginAnew = (now: number): void => {
    lastWord.clear()
    ignorant = listening
    past = [{ at: now, listening }]
    latest = now
  }

  const listen = (region: RegionId, now: number): void => {
    if (isDeaf(now)) beginAnew(now)
    const pause = Math.max(now - latest, 0)
    if (pause <= longestPause) listening += pause
    latest = Math.max(latest, now)
    lastWord.set(region, listening)
    const newest = past.at(-1)
    if (newest !== undefined && now - newest.at < grain) return
    past.push({ at: now, listening })
    while ((past[1]?.listening ?? listening) < listening - 2 * beatSilence) past.shift()
  }

  const isGone = (region: RegionId): boolean => listening - (lastWord.get(region) ?? ignorant) >= beatSilence

  const refresh = (now: number): void => {
    if (stoodStill(now)) beginAnew(now)
    refreshed = now
    for (const [region, workers] of heard) {
      for (const [id, { at }] of workers) if (now - at > beatSilence || at > now + stepBackMs) workers.delete(id)
      if (workers.size === 0) heard.delete(region)
    }
    const gone = [...lastWord.keys()].filter(isGone).sort()
    const judgement = [listening - ignorant >= beatSilence, ...gone].join()
    if (judgement !== judged) changes++
    judged = judgement
  }

  const hear = (beat: Beat, now: number): void => {
    listen(beat.region, now)
    const workers = heard.get(beat.region) ?? new Map<string, Heard>()
    heard.set(beat.region, workers.set(beat.workerId, { beat, at: now }))
    refresh(now)
  }

  const hearResult = (region: RegionId, at: number, now: number): void => {
    // One that has been on its way for long is no sign of life.
    if (Math.abs(now - at) <= beatSilence) listen(region, now)
  }

  const takeInHand = (from: number) => {
    const batch = { from }
    inHand.add(batch)
    stuckSince = Math.min(stuckSince, from)
    return (now: number): void => {
      // What was said meanwhile waits to be taken in, also of those that are gone by now.
      if (now - from > standstill) beginAnew(now)
      inHand.delete(batch)
      const [first] = inHand
      stuckSince = first?.from ?? Number.POSITIVE_INFINITY
    }
  }

  const listened = (from: number, now: number): number => {
    if (isDeaf(now) || isStuck(now)) return 0
    const then = past.find(({ at }) => at >= from)
    return then === undefined ? 0 : listening - then.listening
  }

  return {
    hear,
    hearResult,
    takeInHand,
    refresh,
    isAway: (region, now) => !isDeaf(now) && !isStuck(now) && isGone(region),
    listened,
    isSick: (region) => {
      const workers = [...(heard.get(region)?.values() ?? [])]
      return workers.length > 0 && !workers.some(({ beat }) => beat.healthy)
    },
    workers: (region) => [...(heard.get(region)?.values() ?? [])],
    changes: () => changes
  }
}
