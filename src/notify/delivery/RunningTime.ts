/** The clock by which attempts are judged slow. */

/** The most running time that one tick counts, ms: an attempt does not become slow because this process stood still. */
const longestTickMs = 250

/** The time in which this process was running while it held deliveries, ms. */
export const makeRunningTime = (steady: () => number) => {
  let elapsed = 0
  let last = steady()
  return {
    now: () => elapsed,
    restart: (): void => {
      last = steady()
    },
    advance: (): void => {
      const now = steady()
      elapsed += Math.min(Math.max(now - last, 0), longestTickMs)
      last = now
    }
  }
}
