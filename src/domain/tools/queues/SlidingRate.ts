/** A limit of starts by host in a sliding window of one second. Each process uses its share, so they need no messages. */

const secondMs = 1000
const nobody: ReadonlyArray<never> = []

/** The starts within the last window, oldest first: when (ms), and for whom. */
export interface Starts {
  readonly times: Array<number>
  readonly owners: Array<string>
}

export const noStarts = (): Starts => ({ times: [], owners: [] })

/** `perSecond`: maximum starts of all processes; 0 for no limit. `share`: this process's part of it, above 0 and up to 1. */
export const makeSlidingRate = (perSecond: number, share: () => number) => {
  const rate = (): number => perSecond === 0 ? Infinity : perSecond * share()
  /** Whole starts in a window, so that those of all processes stay within the limit. Less than one a second has a longer window. */
  const most = (): number => Math.max(1, Math.floor(rate()))
  const windowMs = (): number => secondMs / Math.min(1, rate())

  return {
    /** This process's starts per second; infinite without a limit. */
    rate,
    /** Its whole starts in a window. */
    most,
    /** The time between two starts at the full rate, ms; 0 without a limit. */
    spacing: (): number => windowMs() / most(),
    mayStart: ({ times }: Starts): boolean => times.length < most(),
    started: ({ owners, times }: Starts, owner: string, now: number): void => {
      if (perSecond === 0) return
      times.push(now)
      owners.push(owner)
    },
    /** Forgets the starts before the window that ends at `now`. Returns their owners. */
    expire: ({ owners, times }: Starts, now: number): ReadonlyArray<string> => {
      const begin = now - windowMs()
      let past = 0
      for (let at = times[past]; at !== undefined && at <= begin; at = times[past]) past++
      if (past === 0) return nobody
      times.splice(0, past)
      return owners.splice(0, past)
    }
  }
}
