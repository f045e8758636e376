/** How late a region's checks begin, from the last beats of its workers. */
import type { Beat } from "../../../../schema/check/Bus.ts"
import type { RegionLateness } from "../../../../schema/check/Region.ts"

/** Null without beats. The percentile is that of the latest worker: a mean would hide a starved one. */
export const regionLateness = (beats: ReadonlyArray<Beat>): RegionLateness | null =>
  beats.length === 0 ? null : {
    checks: beats.reduce((sum, { looks }) => sum + looks, 0),
    late: beats.reduce((sum, { looksLate }) => sum + looksLate, 0),
    p99Ms: beats.reduce((most, { latenessP99Ms }) => Math.max(most, latenessP99Ms), 0)
  }
