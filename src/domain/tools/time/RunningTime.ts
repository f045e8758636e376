/** The time in which a process was running, ms: it leaves out that in which the machine stood still or the event loop was blocked. */

/** `longestTickMs` is the most that counts between two ticks. `start` and all other times are of one clock, ms. */
export const makeRunningTime = (longestTickMs: number, start: number) => {
  let elapsed = 0
  let last = start
  const since = (at: number): number => Math.min(Math.max(at - last, 0), longestTickMs)
  return {
    /** As of the last tick. */
    now: (): number => elapsed,
    /** As of `at`, later than the last tick. */
    at: (at: number): number => elapsed + since(at),
    /** A tick. */
    advance: (at: number): void => {
      elapsed += since(at)
      last = at
    },
    /** After a rest without ticks, which does not count. */
    restart: (at: number): void => {
      last = at
    }
  }
}
