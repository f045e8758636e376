/**
 * Results waiting for their monitors' actors, by workspace. One whose actors hang or fall behind keeps a bounded share, and its newest
 * results beyond that are dropped. One that makes progress, or only waits behind such workspaces, keeps all.
 */
import { resultRoom, type WaitingLimits } from "../check/ResultRoom.ts"

/** How much a result of average size takes; large ones count for more. */
const usualBytes = resultRoom.open.bytes / resultRoom.open.results
/** The longest acceptable wait at the pace of the last answers, in times of `patienceMs`. */
const tooLong = 6
/** A turn: this many times the peak of waiting results, answered since a workspace's oldest one came. */
const turnedOver = 2
/** How long answers are counted together, in times of `patienceMs`. */
const periods = { workspace: 2, all: 1 }

/** Answers in this period and in the last one. */
interface Pace {
  answers: number
  answersBefore: number
  periodFrom: number
}

interface Waiting {
  readonly weight: number
  /** How many of all workspaces had been answered when it came. */
  readonly after: number
}

interface Waiters<A> extends Pace {
  /** The oldest first. */
  readonly open: Map<A, Waiting>
  weight: number
  /** When the first began to wait; since then some waited all the time. */
  since: number
  /** The weight beyond which it is given nothing more; null while it gets on. */
  share: number | null
}

/** True if the newest of `open` would wait too long at the pace of the last answers. They took one to two periods. */
const isTooSlow = ({ answers, answersBefore }: Pace, open: number, period: number): boolean =>
  open * period > (answers + answersBefore) * tooLong

/** Never the oldest, however large it is. */
const newestBeyond = <A>({ open, weight }: Waiters<A>, share: number): ReadonlyArray<A> => {
  const beyond: Array<A> = []
  let left = weight
  for (const [one, waits] of [...open].slice(1).reverse()) {
    if (left <= share) break
    left -= waits.weight
    beyond.push(one)
  }
  return beyond
}

export const makeWaitingResults = <W, A>({ patienceMs, results }: WaitingLimits) => {
  const waiting = new Map<W, Waiters<A>>()
  let freed: Array<W> = []
  /** The figures of all workspaces; the peaks are of what was open. */
  const all = { answers: 0, answersBefore: 0, periodFrom: 0, open: 0, everAnswered: 0, peak: 0, peakBefore: 0 }

  const remove = (workspace: W, waiters: Waiters<A>, one: A): void => {
    waiters.weight -= waiters.open.get(one)?.weight ?? 0
    waiters.open.delete(one)
    all.open--
    if (waiters.open.size > 0) return
    waiting.delete(workspace)
    if (waiters.share !== null) freed.push(workspace)
  }

  const turnPeriod = (pace: Pace, now: number, period: number): boolean => {
    const isOver = now - pace.periodFrom >= period * patienceMs
    if (!isOver) return false
    // Nothing is judged while nothing waits: earlier answers do not count.
    pace.answersBefore = now - pace.periodFrom < 2 * period * patienceMs ? pace.answers : 0
    pace.answers = 0
    pace.periodFrom = now
    return true
  }

  const turnAll = (now: number): void => {
    if (!turnPeriod(all, now, periods.all)) return
    all.peakBefore = all.peak
    all.peak = all.open
  }

  /** True if others have overtaken its oldest result: so many were answered since that its turn would have come. */
  const isOvertaken = ({ open }: Waiters<A>): boolean => {
    const [oldest] = open.values()
    return oldest !== undefined && all.everAnswered - oldest.after >= turnedOver * Math.max(all.peak, all.peakBefore)
  }

  /** While the runner gets on, only a workspace that others overtake is at fault; if nobody gets on, each that waits may be. */
  const isSlow = (waiters: Waiters<A>, now: number): boolean =>
    now - waiters.since >= patienceMs && isTooSlow(waiters, waiters.open.size, periods.workspace) &&
    (isTooSlow(all, all.open, periods.all) || isOvertaken(waiters))

  return {
    hasRoom: (workspace: W): boolean => {
      const waiters = waiting.get(workspace)
      return waiters === undefined || waiters.share === null || waiters.weight < waiters.share
    },
    add: (workspace: W, one: A, bytes: number, now: number): void => {
      all.open++
      all.peak = Math.max(all.peak, all.open)
      const waits = { weight: Math.max(1, bytes / usualBytes), after: all.everAnswered }
      const waiters = waiting.get(workspace)
      if (waiters === undefined) {
        const fresh = { weight: waits.weight, since: now, answers: 0, answersBefore: 0, periodFrom: now, share: null }
        waiting.set(workspace, { ...fresh, open: new Map([[one, waits]]) })
      } else {
        waiters.open.set(one, waits)
        waiters.weight += waits.weight
      }
    },
    /** An actor has answered. */
    end: (workspace: W, one: A): void => {
      const waiters = waiting.get(workspace)
      if (waiters === undefined || !waiters.open.has(one)) return
      waiters.answers++
      all.answers++
      all.everAnswered++
      remove(workspace, waiters, one)
    },
    /** Judges all workspaces, several times within the patience. Returns the dropped results, and workspaces with a new limit or none. */
    giveUp: (now: number) => {
      const slow: Array<readonly [W, Waiters<A>]> = []
      const limited: Array<W> = []
      turnAll(now)
      for (const [workspace, waiters] of waiting) {
        turnPeriod(waiters, now, periods.workspace)
        if (isSlow(waiters, now)) slow.push([workspace, waiters])
        else if (waiters.share !== null) {
          waiters.share = null
          freed.push(workspace)
        }
      }
      const share = Math.max(1, Math.min(results, Math.floor(resultRoom.stuck / Math.max(1, slow.length))))
      const givenUp = slow.flatMap(([workspace, waiters]) => {
        const beyond = newestBeyond(waiters, share)
        for (const one of beyond) remove(workspace, waiters, one)
        if (beyond.length > 0 && waiters.share === null) limited.push(workspace)
        if (beyond.length > 0 || waiters.share !== null) waiters.share = share
        return beyond
      })
      const excess = { givenUp, limited, freed }
      freed = []
      return excess
    },
    isEmpty: (): boolean => waiting.size === 0
  }
}
