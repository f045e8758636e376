/** A day's rollup of a monitor's checks: a tally for each region and half hour, and how it is written as bytes. */
import { RegionId } from "../../../../schema/check/Region.ts"
import { type ByteReader, type ByteWriter, makeByteReader, makeByteWriter } from "../../tools/Bytes.ts"
import { gather } from "../../tools/Gather.ts"
import { type CheckTally, mergeRegions, type RegionTallies, talliesByRegion } from "./CheckTally.ts"
import { countSketch, readSketch, writeSketch } from "./LatencySketch.ts"
import { noPhases, readPhases, writePhases } from "./PhaseSums.ts"
import type { StoredCheck } from "./StoredCheck.ts"

/** The shortest stretch of time with tallies of its own, ms. */
export const halfHour = 1_800_000
export const dayMs = 86_400_000

/** Tallies by the start of their stretch of time, ms since 1970. */
export type Rollup = ReadonlyMap<number, RegionTallies>

/** The start of the stretch of this length that an instant belongs to; both in ms. */
export const startOf = (at: number, length: number): number => Math.floor(at / length) * length

export const rollupOf = (checks: ReadonlyArray<StoredCheck>): Rollup =>
  new Map(
    [...gather(checks.map((check) => [startOf(check.at, halfHour), check] as const))].map(([at, own]) =>
      [at, talliesByRegion(own)] as const
    )
  )

/** Adds rollups up, in stretches of `length` ms, which half hours must divide. */
export const mergeRollups = (rollups: ReadonlyArray<Rollup>, length: number): Rollup =>
  new Map(
    [...gather(rollups.flatMap((rollup) => [...rollup].map(([at, tallies]) => [startOf(at, length), tallies] as const)))]
      .map(([at, own]) => [at, mergeRegions(own)] as const)
  )

const writeTally = (writer: ByteWriter, tally: CheckTally): void => {
  writer.whole(tally.checks)
  writer.whole(tally.failures)
  writer.whole(tally.uncounted)
  writer.whole(tally.latencySum)
  writeSketch(writer, tally.latencies)
}

const readTally = (reader: ByteReader): CheckTally => ({
  checks: reader.whole(),
  failures: reader.whole(),
  uncounted: reader.whole(),
  latencySum: reader.whole(),
  latencies: readSketch(reader),
  phases: noPhases
})

/** Times are written from `base`, the start of the day (ms), in half hours. Versions without phases read all that comes before them. */
export const encodeRollup = (rollup: Rollup, base: number): Uint8Array => {
  const regions = [...new Set([...rollup.values()].flatMap((tallies) => [...tallies.keys()]))].sort()
  const writer = makeByteWriter()
  writer.whole(regions.length)
  for (const region of regions) writer.text(region)
  writer.whole(rollup.size)
  const sorted = [...rollup].sort(([one], [other]) => one - other)
  for (const [at, tallies] of sorted) {
    writer.whole((at - base) / halfHour)
    writer.whole(tallies.size)
    for (const [region, tally] of tallies) {
      writer.whole(regions.indexOf(region))
      writeTally(writer, tally)
    }
  }
  for (const [, tallies] of sorted) for (const { phases } of tallies.values()) writePhases(writer, phases)
  return writer.bytes()
}

export const decodeRollup = (bytes: Uint8Array, base: number): Rollup => {
  const reader = makeByteReader(bytes)
  const regions = Array.from({ length: reader.whole() }, () => RegionId.make(reader.text(), { disableValidation: true }))
  const rollup = new Map<number, RegionTallies>()
  const inOrder: Array<readonly [tallies: Map<RegionId, CheckTally>, region: RegionId | undefined, tally: CheckTally]> = []
  for (let left = reader.whole(); left > 0; left--) {
    const at = base + reader.whole() * halfHour
    const tallies = new Map<RegionId, CheckTally>()
    for (let own = reader.whole(); own > 0; own--) {
      const region = regions[reader.whole()]
      inOrder.push([tallies, region, readTally(reader)])
    }
    rollup.set(at, tallies)
  }
  for (const [tallies, region, tally] of inOrder) {
    const phases = readPhases(reader)
    if (region !== undefined) tallies.set(region, { ...tally, phases })
  }
  return rollup
}

export interface LatencySum {
  /** The start of the stretch of time, ms since 1970. */
  readonly at: number
  readonly sumMs: number
  readonly count: number
}

/** The latencies of each stretch and region, without percentiles: a fraction of the cost of `decodeRollup`. */
export const decodeLatencies = (bytes: Uint8Array, base: number): ReadonlyArray<LatencySum> => {
  const reader = makeByteReader(bytes)
  for (let left = reader.whole(); left > 0; left--) reader.text()
  const sums: Array<LatencySum> = []
  for (let left = reader.whole(); left > 0; left--) {
    const at = base + reader.whole() * halfHour
    for (let own = reader.whole(); own > 0; own--) {
      // The region, its checks, failures and checks that did not count.
      for (let skipped = 4; skipped > 0; skipped--) reader.whole()
      const sumMs = reader.whole() / 1000
      sums.push({ at, sumMs, count: countSketch(reader) })
    }
  }
  return sums
}
