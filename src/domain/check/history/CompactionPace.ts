/** The pace of compaction: when checks become blocks, and how much of a runner's time that takes. */

/** A check's row is written at most this long after its hour: the longest timeout, and the usual delays of the bus, ms. */
const settling = 300_000

/** The checks before this instant are due, ms: those of hours that ended a while ago. */
export const horizonOf = (now: number): number => Math.floor((now - settling) / 3_600_000) * 3_600_000

/** The pause after a step that took so long, ms: compaction takes half of a runner's database connection at most. */
export const pauseAfter = (tookMs: number): number => Math.min(2000, tookMs)
