/** How late a region's checks begin, from the last beats of its workers. */
import type { Beat } from "../../../../schema/check/Bus.ts"
import type { RegionLateness } from "../../../../schema/check/Region.ts"

/** Null if no worker said. The percentile is that of the latest worker: a mean would hide a starved one. */
export const regionLateness = (beats: ReadonlyArray<Beat>): RegionLateness | null => {
  const telling = beats.filter(({ looks }) => looks !== undefined)
  return telling.length === 0 ? null : {
    checks: telling.reduce((sum, { looks }) => sum + (looks ?? 0), 0),
    late: telling.reduce((sum, { looksLate }) => sum + (looksLate ?? 0), 0),
    p99Ms: telling.reduce((most, { latenessP99Ms }) => Math.max(most, latenessP99Ms ?? 0), 0)
  }
}
