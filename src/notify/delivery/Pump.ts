/** Starts what waits, one after the other. */

/** An attempt can end synchronously. The guard makes the loop start the next one; recursion would nest thousands deep. */
export const makePump = <One>(next: () => One | undefined, start: (one: One) => void) => {
  let isStarting = false
  return (most: number): void => {
    if (isStarting) return
    isStarting = true
    for (let begun = 0; begun < most; begun++) {
      const one = next()
      if (one === undefined) break
      start(one)
    }
    isStarting = false
  }
}
