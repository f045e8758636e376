/** Starts what waits, one after the other. */

/** A start can end synchronously. The guard makes the loop start the next one; recursion would nest thousands deep. */
export const makePump = <One>(next: () => One | undefined, start: (one: One) => void) => {
  let isStarting = false
  return {
    /** Starts up to `most`, until nothing is left that can start. */
    pump: (most = Infinity): void => {
      if (isStarting) return
      isStarting = true
      for (let begun = 0; begun < most; begun++) {
        const one = next()
        if (one === undefined) break
        start(one)
      }
      isStarting = false
    },
    /** Lets it start again after a start that threw. Not for a start to call. */
    reset: (): void => {
      isStarting = false
    }
  }
}
