/** The sums of checks in rollups: counts and latencies by region, which add up over any period. */
import type { RegionId } from "../../../../schema/check/Region.ts"
import { gather } from "../../tools/Gather.ts"
import { countOf, emptySketch, type LatencySketch, mergeSketches, quantile, sketchOf } from "./LatencySketch.ts"
import { mergePhases, noPhases, type PhaseSums, phaseSumsOf } from "./PhaseSums.ts"
import type { StoredCheck } from "./StoredCheck.ts"

export interface CheckTally {
  /** Checks that counted toward the state. */
  readonly checks: number
  /** The checks that were down. */
  readonly failures: number
  readonly uncounted: number
  /** Sum of the latencies of counted checks that were not down, microseconds: whole numbers add up exactly, to 2^53 - 1 at most. */
  readonly latencySum: number
  readonly latencies: LatencySketch
  /** The phases of the same checks, where they have timings. */
  readonly phases: PhaseSums
}

export type RegionTallies = ReadonlyMap<RegionId, CheckTally>

export const emptyTally: CheckTally = {
  checks: 0,
  failures: 0,
  uncounted: 0,
  latencySum: 0,
  latencies: emptySketch,
  phases: noPhases
}

/** A job may say that it took any time. */
const addLatency = (sum: number, micros: number): number => Math.min(Number.MAX_SAFE_INTEGER, sum + micros)

/** The fields that tallies need. */
type Counted = Pick<StoredCheck, "region" | "counted" | "outcome" | "latencyMs" | "timings">

const tallyOf = (checks: ReadonlyArray<Counted>): CheckTally => {
  const counted = checks.filter((check) => check.counted)
  const answered = counted.filter(({ outcome }) => outcome !== "down")
  const latencies = answered.flatMap(({ latencyMs }) => latencyMs === null ? [] : [latencyMs])
  return {
    checks: counted.length,
    failures: counted.filter(({ outcome }) => outcome === "down").length,
    uncounted: checks.length - counted.length,
    latencySum: latencies.reduce((sum, ms) => addLatency(sum, Math.round(ms * 1000)), 0),
    latencies: sketchOf(latencies),
    phases: phaseSumsOf(answered.flatMap(({ timings }) => timings === null ? [] : [timings]))
  }
}

export const mergeTallies = (tallies: ReadonlyArray<CheckTally>): CheckTally => {
  const [only, ...others] = tallies
  if (only !== undefined && others.length === 0) return only
  const sum = (one: (tally: CheckTally) => number) => tallies.reduce((total, tally) => total + one(tally), 0)
  return {
    checks: sum(({ checks }) => checks),
    failures: sum(({ failures }) => failures),
    uncounted: sum(({ uncounted }) => uncounted),
    latencySum: tallies.reduce((total, { latencySum }) => addLatency(total, latencySum), 0),
    latencies: mergeSketches(tallies.map(({ latencies }) => latencies)),
    phases: mergePhases(tallies.map(({ phases }) => phases))
  }
}

export const talliesByRegion = (checks: ReadonlyArray<Counted>): RegionTallies =>
  new Map([...gather(checks.map((check) => [check.region, check] as const))].map(([region, own]) => [region, tallyOf(own)]))

export const mergeRegions = (all: ReadonlyArray<RegionTallies>): RegionTallies =>
  new Map([...gather(all.flatMap((tallies) => [...tallies]))].map(([region, own]) => [region, mergeTallies(own)]))

/** The statistics of a tally: latencies in ms with one decimal, null if no check had one. */
export const statsOf = ({ checks, failures, latencies, latencySum }: CheckTally) => {
  const timed = countOf(latencies)
  return {
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    avg: timed === 0 ? null : Math.round(latencySum / timed / 100) / 10,
    checks,
    failures
  }
}
