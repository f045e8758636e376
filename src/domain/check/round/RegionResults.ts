/** Summarizes a region by the newest checks of some monitors. */
import type { Check } from "../../../../schema/check/Check.ts"
import type { RegionRecord } from "../../../../schema/check/RegionViews.ts"
import { instant } from "../../../../schema/Fields.ts"

export interface RegionCheck extends Pick<Check, "id" | "monitorId" | "outcome" | "latencyMs"> {
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The median; of an even number of values the lower middle one, so that it is always the latency of a check. */
const medianOf = (values: ReadonlyArray<number>): number | null =>
  [...values].sort((one, other) => one - other)[Math.ceil(values.length / 2) - 1] ?? null

export const regionResults = (checks: ReadonlyArray<RegionCheck>): Pick<RegionRecord, "lastCheck" | "p50"> => {
  const last = checks.reduce<RegionCheck | null>((newest, one) => newest === null || one.at > newest.at ? one : newest, null)
  return {
    lastCheck: last === null ? null : { ...last, at: instant(last.at) },
    p50: medianOf(checks.flatMap(({ latencyMs, outcome }) => outcome === "down" || latencyMs === null ? [] : [latencyMs]))
  }
}
