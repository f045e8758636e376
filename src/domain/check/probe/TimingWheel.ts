/** A hashed timing wheel (Varghese and Lauck, 1987): adds, cancels and fires thousands of timers in constant time each. */

/** A value that is due at `due` (ms); cancelling the timer releases the value. */
export interface Timer<A extends object> {
  readonly due: number
  value: A | null
}

export type TimingWheel<A extends object> = ReturnType<typeof makeTimingWheel<A>>

/** An empty wheel that starts at `start`, with `size` buckets of `tickMs` each; later timers wait several revolutions. */
export const makeTimingWheel = <A extends object>(start: number, tickMs = 20, size = 4096) => {
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
    // One revolution visits every bucket, which bounds the cost of a jump of hours.
    for (let tick = current, visits = 0; tick <= last && visits < size; tick++, visits++) take(bucketOf(tick), now, fired)
    current = Math.max(current, last)
    return fired.sort((a, b) => a.due - b.due).map((timer) => timer.value).filter((value) => value !== null)
  }

  return {
    /** Adds a timer; the first `advance` at or after `due` returns its value. */
    add,
    /** Cancels a timer; does nothing if it has already fired. */
    cancel: (timer: Timer<A>): void => {
      timer.value = null
    },
    /** Everything due by `now`, earliest first. An earlier `now` than in the previous call fires nothing. */
    advance
  }
}
