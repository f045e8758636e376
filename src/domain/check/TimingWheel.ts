/** A hashed timing wheel (Varghese and Lauck, 1987): thousands of timers, added, cancelled and fired in constant time. */

/** A value that falls due at `due` (ms); a cancelled timer lets go of it. */
export interface Timer<A extends object> {
  readonly due: number
  value: A | null
}

export interface TimingWheel<A extends object> {
  /** A timer that the first `advance` at or after `due` hands out. */
  readonly add: (due: number, value: A) => Timer<A>
  /** The timer will not fire; one that has fired is left alone. */
  readonly cancel: (timer: Timer<A>) => void
  /** Everything due by `now`, earliest first. Time never runs backwards here: an earlier `now` than before fires nothing. */
  readonly advance: (now: number) => ReadonlyArray<A>
}

/** An empty wheel at `start`; `tickMs` wide buckets, `size` of them: timers further away go round more than once. */
export const makeTimingWheel = <A extends object>(start: number, tickMs = 20, size = 4096): TimingWheel<A> => {
  const buckets: Array<Array<Timer<A>>> = Array.from({ length: size }, () => [])
  const tickOf = (instant: number): number => Math.floor(instant / tickMs)
  const bucketOf = (tick: number): Array<Timer<A>> => buckets[((tick % size) + size) % size] ?? []
  let current = tickOf(start)

  const add = (due: number, value: A): Timer<A> => {
    const timer: Timer<A> = { due, value }
    bucketOf(Math.max(tickOf(due), current)).push(timer)
    return timer
  }

  const take = (bucket: Array<Timer<A>>, now: number, fired: Array<Timer<A>>): void => {
    if (bucket.length === 0) return
    let kept = 0
    for (const timer of bucket) {
      if (timer.value === null) continue
      if (timer.due <= now) fired.push(timer)
      else bucket[kept++] = timer
    }
    bucket.length = kept
  }

  const advance = (now: number): ReadonlyArray<A> => {
    const last = tickOf(now)
    const fired: Array<Timer<A>> = []
    // One round visits every bucket: a jump of hours costs no more than that.
    for (let tick = current, visits = 0; tick <= last && visits < size; tick++, visits++) take(bucketOf(tick), now, fired)
    current = Math.max(current, last)
    return fired.sort((a, b) => a.due - b.due).map((timer) => timer.value).filter((value) => value !== null)
  }

  return {
    add,
    cancel: (timer) => {
      timer.value = null
    },
    advance
  }
}
