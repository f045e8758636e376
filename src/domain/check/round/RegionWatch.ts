/** Watches which regions are away, by the beats and results of their probe workers: plain state; the caller passes the time. */
import type { Beat } from "../../../../schema/check/Bus.ts"
import type { RegionId } from "../../../../schema/check/Region.ts"
import { makeListeningTime, toleratedStepBack } from "./ListeningTime.ts"

/** A worker whose last beat is older than this is gone, ms. Workers beat every 10 s. */
export const beatSilence = 30_000

/** A batch of results that is open for longer is stuck, ms. */
const stuckAfter = 10_000

interface LastBeat {
  readonly beat: Beat
  /** By the listener's clock: the probe's own may be off. */
  readonly at: number
}

/** A round's view of the regions it waits for, and of the process that waits. */
export interface Attention {
  /**
   * True if rounds need not wait for a region: nothing was heard from it during 30 s in which other regions were heard. A process that
   * has just started, was suspended or was cut off considers no region away, so that the first one to come back does not decide alone.
   */
  readonly isAway: (region: RegionId, now: number) => boolean
  /** True if a region was heard after an instant, ms. What was heard before a restart of the listening does not count. */
  readonly heardSince: (region: RegionId, at: number) => boolean
  /** How long this process has processed what regions sent since an instant, ms; 0 while it is cut off or stuck. */
  readonly listened: (from: number, now: number) => number
}

export type RegionWatch = ReturnType<typeof makeRegionWatch>

const makeWorkers = () => {
  const regions = new Map<RegionId, Map<string, LastBeat>>()
  return {
    record: (beat: Beat, at: number): void => {
      const workers = regions.get(beat.region) ?? new Map<string, LastBeat>()
      regions.set(beat.region, workers.set(beat.workerId, { beat, at }))
    },
    forgetSilent: (now: number): void => {
      for (const [region, workers] of regions) {
        for (const [id, { at }] of workers) if (now - at > beatSilence || at > now + toleratedStepBack) workers.delete(id)
        if (workers.size === 0) regions.delete(region)
      }
    },
    of: (region: RegionId): ReadonlyArray<LastBeat> => [...(regions.get(region)?.values() ?? [])]
  }
}

/** The batches of results that are not done yet. */
const makeOpenBatches = () => {
  const open = new Set<{ readonly from: number }>()
  let oldestFrom = Number.POSITIVE_INFINITY
  return {
    isStuck: (now: number): boolean => now - oldestFrom > stuckAfter,
    begin: (from: number, onStuck: (now: number) => void) => {
      const batch = { from }
      open.add(batch)
      oldestFrom = Math.min(oldestFrom, from)
      return (now: number): void => {
        if (now - from > stuckAfter) onStuck(now)
        open.delete(batch)
        const [first] = open
        oldestFrom = first?.from ?? Number.POSITIVE_INFINITY
      }
    }
  }
}

export const makeRegionWatch = (start: number) => {
  const listening = makeListeningTime(start)
  const workers = makeWorkers()
  const batches = makeOpenBatches()
  let changes = 0
  let lastJudgement = ""

  const isSilent = (region: RegionId): boolean => listening.silenceOf(region) >= beatSilence
  const canJudge = (now: number): boolean => !listening.isCutOff(now) && !batches.isStuck(now)

  /** Forgets the workers that are gone and updates which regions are away; to be called every second. */
  const refresh = (now: number): void => {
    listening.refresh(now)
    workers.forgetSilent(now)
    const silent = [...listening.regions()].filter(isSilent).sort()
    const judgement = [listening.sinceRestart() >= beatSilence, ...silent].join()
    if (judgement !== lastJudgement) changes++
    lastJudgement = judgement
  }

  const attention: Attention = {
    isAway: (region, now) => canJudge(now) && isSilent(region),
    heardSince: listening.heardSince,
    listened: (from, now) => canJudge(now) ? listening.since(from) : 0
  }

  return {
    ...attention,
    recordBeat: (beat: Beat, now: number): void => {
      listening.heard(beat.region, now)
      workers.record(beat, now)
      refresh(now)
    },
    /** A fresh result is a sign of life, too: beats may be lost where results are not. */
    recordResult: (region: RegionId, at: number, now: number): void => {
      // A result that was on its way for long says nothing about the present.
      if (Math.abs(now - at) <= beatSilence) listening.heard(region, now)
    },
    /**
     * Records a batch of results, which the returned function ends. While one is stuck, others wait, also of regions that seem
     * silent.
     */
    beginBatch: (from: number) => batches.begin(from, listening.restart),
    refresh,
    /** True if all workers of a region distrust themselves. */
    isSick: (region: RegionId): boolean => {
      const beats = workers.of(region)
      return beats.length > 0 && !beats.some(({ beat }) => beat.healthy)
    },
    /** The workers that beat within the last 30 s, as of the last refresh. */
    workers: workers.of,
    /** How often the set of regions that are away has changed. */
    changes: (): number => changes
  }
}
