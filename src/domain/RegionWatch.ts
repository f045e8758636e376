/** What the beats of probe workers tell of their regions: plain state, driven by whoever holds the clock. */
import type { Beat } from "../../schema/Bus.ts"
import type { RegionId } from "../../schema/Region.ts"

/** A worker that has not beaten for this long is gone, ms. Workers beat every 10 s. */
export const beatSilence = 30_000

/** Clocks are corrected by a little all the time; a step back by more makes what was heard lie in the future. */
const stepBackMs = 1000

/** When nobody at all is heard for this long, it is the listener that hears nothing: the bus is away, or it was asleep, ms. */
const deafness = 25_000

export interface Heard {
  readonly beat: Beat
  /** By the listener's clock: the probe's own may be off. */
  readonly at: number
}

/** Whether a region is not to be waited for: its probes distrust themselves, or are gone. */
export type IsAway = (region: RegionId) => boolean

export interface RegionWatch {
  readonly hear: (beat: Beat, now: number) => void
  /** Forgets the workers that are gone, and judges anew. */
  readonly refresh: (now: number) => void
  /**
   * As of the last refresh. Silence is judged only while this listener can have heard: one that has just begun, or was
   * cut off with everybody else silent, takes no region for gone before it has listened for as long as a worker may be
   * silent. Else the first region to be heard again would decide alone.
   */
  readonly isAway: IsAway
  /** The workers heard of within the silence, as of the last refresh. */
  readonly workers: (region: RegionId) => ReadonlyArray<Heard>
  readonly regions: () => Iterable<RegionId>
  /** Whether a region that was not heard of is known to be gone. */
  readonly isSure: () => boolean
}

export const makeRegionWatch = (start: number): RegionWatch => {
  const heard = new Map<RegionId, Map<string, Heard>>()
  let sick: ReadonlySet<RegionId> = new Set()
  let listeningSince = start
  let latest = start
  let sure = false

  const refresh = (now: number): void => {
    if (now < latest - stepBackMs) listeningSince = latest = now
    for (const [region, workers] of heard) {
      for (const [id, { at }] of workers) if (now - at > beatSilence || at > now + stepBackMs) workers.delete(id)
      if (workers.size === 0) heard.delete(region)
    }
    sick = new Set([...heard].filter(([, workers]) => ![...workers.values()].some(({ beat }) => beat.healthy)).map(([id]) => id))
    sure = now - latest <= deafness && now - listeningSince > beatSilence
  }

  const hear = (beat: Beat, now: number): void => {
    if (now - latest > deafness || now < latest - stepBackMs) listeningSince = now
    latest = now
    const workers = heard.get(beat.region) ?? new Map<string, Heard>()
    heard.set(beat.region, workers.set(beat.workerId, { beat, at: now }))
    refresh(now)
  }

  return {
    hear,
    refresh,
    isAway: (region) => sick.has(region) || (sure && !heard.has(region)),
    workers: (region) => [...(heard.get(region)?.values() ?? [])],
    regions: () => heard.keys(),
    isSure: () => sure
  }
}
