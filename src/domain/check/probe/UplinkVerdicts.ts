/**
 * Decides what failed checks are worth when the fault may be this probe's own connection: each waits for a self-check that began
 * after it, and none counts while the connection is lost. Moments are numbers that only order events, not times of a clock.
 */

/** The fate of a check that reached nothing. `hold`: a later verdict decides. `distrust`: it does not count, and is to be repeated. */
type Worth = "report" | "hold" | "distrust"

/** The checks that a verdict has decided. */
export interface Decided<A> {
  readonly report: ReadonlyArray<A>
  readonly distrust: ReadonlyArray<A>
}

interface Held<A> {
  readonly item: A
  readonly ended: number
}

const nothing: Decided<never> = { report: [], distrust: [] }

export const makeUplinkVerdicts = <A>() => {
  let moment = 0
  let held: Array<Held<A>> = []
  /** When the self-check began that found the connection lost; null while it works. */
  let lostSince: number | null = null
  /** When the connection was last found to work again: earlier checks prove nothing. */
  let backSince = 0
  /** When the latest of the checks began that reached their target. */
  let reachedFrom = 0

  /** The connection worked at some time after `began`. */
  const well = (began: number): Decided<A> => {
    if (lostSince !== null) {
      if (began < lostSince) return nothing
      lostSince = null
      backSince = ++moment
      return nothing
    }
    if (held.length === 0) return nothing
    const report = held.filter(({ ended }) => ended <= began).map(({ item }) => item)
    held = held.filter(({ ended }) => ended > began)
    return { report, distrust: [] }
  }

  return {
    /** The present moment, at which a check begins. */
    begin: (): number => moment,
    /** A check that began at a moment has reached nothing. `canAsk`: there is something that a self-check could reach. */
    failed: (item: A, began: number, canAsk: boolean): Worth => {
      if (lostSince !== null || began < backSince) return "distrust"
      if (!canAsk) return "report"
      held.push({ item, ended: ++moment })
      return "hold"
    },
    /** A check that began at a moment has reached a target: the connection worked after that. */
    reached: (began: number): Decided<A> => {
      if (began > reachedFrom) reachedFrom = began
      return well(began)
    },
    isAsking: (): boolean => lostSince !== null || held.length > 0,
    ask: (): number => ++moment,
    /** A self-check that began at a moment has ended. */
    answered: (isWell: boolean, began: number): Decided<A> => {
      if (isWell || reachedFrom >= began) return well(began)
      lostSince = began
      const distrust = held.map(({ item }) => item)
      held = []
      return { report: [], distrust }
    },
    isLost: (): boolean => lostSince !== null,
    held: (): ReadonlyArray<A> => held.map(({ item }) => item)
  }
}
