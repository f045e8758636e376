/**
 * The results that wait for their monitors' actors, by workspace. A workspace whose actors hang, or are too slow for what comes, keeps a
 * bounded share; the newest beyond it are given up, so that the results of others find room. One that gets on keeps all, as in a storm.
 */
export interface WaitingLimits {
  /** Results of one workspace that may wait while it gets nowhere. */
  readonly results: number
  /** A workspace is not judged before its results have waited for this long, ms. */
  readonly patienceMs: number
}

export const defaultWaitingLimits: WaitingLimits = { results: 1_000, patienceMs: 5_000 }

/** What all such workspaces hold together at most: half of what a runner has open. */
const together = { results: 2_000, bytes: 32 * 1024 * 1024 }
/** How much a result of average size takes; large ones count for more. */
const usualBytes = together.bytes / together.results
/** What waits longer than this many times `patienceMs` at the pace of the last answers waits too long. */
const tooLong = 6

interface Waiters<A> {
  /** The oldest first, with their weight. */
  readonly open: Map<A, number>
  weight: number
  /** When the first began to wait; since then some waited all the time. */
  since: number
  /** Answers in this period and in the last one; a period lasts for twice the patience. */
  answers: number
  answersBefore: number
  periodFrom: number
  /** The weight beyond which it is given nothing more; null while it gets on. */
  share: number | null
}

export interface Excess<W, A> {
  readonly givenUp: ReadonlyArray<A>
  /** Workspaces that are limited from now on, and those that are not any more. */
  readonly limited: ReadonlyArray<W>
  readonly freed: ReadonlyArray<W>
}

export interface WaitingResults<W, A> {
  /** Whether a workspace may let another result wait. */
  readonly hasRoom: (workspace: W) => boolean
  readonly add: (workspace: W, one: A, bytes: number, now: number) => void
  /** An actor has answered. */
  readonly end: (workspace: W, one: A) => void
  /** Judges all workspaces; removes and returns what is given up. To be called several times within the patience. */
  readonly giveUp: (now: number) => Excess<W, A>
  readonly isEmpty: () => boolean
}

export const makeWaitingResults = <W, A>({ patienceMs, results }: WaitingLimits = defaultWaitingLimits): WaitingResults<W, A> => {
  const waiting = new Map<W, Waiters<A>>()
  let freed: Array<W> = []

  const remove = (workspace: W, waiters: Waiters<A>, one: A): void => {
    waiters.weight -= waiters.open.get(one) ?? 0
    waiters.open.delete(one)
    if (waiters.open.size > 0) return
    waiting.delete(workspace)
    if (waiters.share !== null) freed.push(workspace)
  }

  const turnPeriod = (waiters: Waiters<A>, now: number): void => {
    if (now - waiters.periodFrom < 2 * patienceMs) return
    waiters.answersBefore = waiters.answers
    waiters.answers = 0
    waiters.periodFrom = now
  }

  /** At the pace of the last answers, from one to two periods, the newest would wait too long. */
  const isSlow = ({ answers, answersBefore, open, since }: Waiters<A>, now: number): boolean =>
    now - since >= patienceMs && open.size * 2 > (answers + answersBefore) * tooLong

  /** Never the oldest, however large it is. */
  const newestBeyond = ({ open, weight }: Waiters<A>, share: number): ReadonlyArray<A> => {
    const beyond: Array<A> = []
    let left = weight
    for (const [one, weightOfOne] of [...open].slice(1).reverse()) {
      if (left <= share) break
      left -= weightOfOne
      beyond.push(one)
    }
    return beyond
  }

  return {
    hasRoom: (workspace) => {
      const waiters = waiting.get(workspace)
      return waiters === undefined || waiters.share === null || waiters.weight < waiters.share
    },
    add: (workspace, one, bytes, now) => {
      const weight = Math.max(1, bytes / usualBytes)
      const waiters = waiting.get(workspace)
      if (waiters === undefined) {
        const fresh = { weight, since: now, answers: 0, answersBefore: 0, periodFrom: now, share: null }
        waiting.set(workspace, { ...fresh, open: new Map([[one, weight]]) })
      } else {
        waiters.open.set(one, weight)
        waiters.weight += weight
      }
    },
    end: (workspace, one) => {
      const waiters = waiting.get(workspace)
      if (waiters === undefined || !waiters.open.has(one)) return
      waiters.answers++
      remove(workspace, waiters, one)
    },
    giveUp: (now) => {
      const slow: Array<readonly [W, Waiters<A>]> = []
      const limited: Array<W> = []
      for (const [workspace, waiters] of waiting) {
        turnPeriod(waiters, now)
        if (isSlow(waiters, now)) slow.push([workspace, waiters])
        else if (waiters.share !== null) {
          waiters.share = null
          freed.push(workspace)
        }
      }
      const share = Math.max(1, Math.min(results, Math.floor(together.results / Math.max(1, slow.length))))
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
    isEmpty: () => waiting.size === 0
  }
}
