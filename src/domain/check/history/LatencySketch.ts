/** A mergeable sketch of latencies in buckets that grow by 2 %, for percentiles exact to 1 %. (DDSketch, Masson et al., VLDB 2019.) */
import type { ByteReader, ByteWriter } from "../../tools/Bytes.ts"

/** How many values are in each bucket. */
export type LatencySketch = ReadonlyMap<number, number>

/** The natural logarithm of the factor between two borders. */
export const bucketGrowth = Math.log(1.02)
/** Milliseconds; anything shorter counts as this. */
export const shortestLatency = 0.1

const bucketOf = (ms: number): number =>
  Math.max(0, Math.ceil(Math.log(Math.max(ms, shortestLatency) / shortestLatency) / bucketGrowth))

/** The middle of a bucket in relative terms, ms. */
const valueOf = (bucket: number): number =>
  bucket === 0 ? shortestLatency : shortestLatency * Math.exp((bucket - 0.5) * bucketGrowth)

export const emptySketch: LatencySketch = new Map()

const add = (into: Map<number, number>, bucket: number, count: number): void => {
  into.set(bucket, (into.get(bucket) ?? 0) + count)
}

export const sketchOf = (latencies: Iterable<number>): LatencySketch => {
  const sketch = new Map<number, number>()
  for (const ms of latencies) add(sketch, bucketOf(ms), 1)
  return sketch
}

export const mergeSketches = (sketches: Iterable<LatencySketch>): LatencySketch => {
  const merged = new Map<number, number>()
  for (const sketch of sketches) for (const [bucket, count] of sketch) add(merged, bucket, count)
  return merged
}

const sorted = (sketch: LatencySketch) => [...sketch].sort(([one], [other]) => one - other)

export const countOf = (sketch: LatencySketch): number => [...sketch.values()].reduce((sum, count) => sum + count, 0)

/** The value below which the share `rank` (0 to 1) of all values lies, ms with one decimal; null if there is none. */
export const quantile = (sketch: LatencySketch, rank: number): number | null => {
  const buckets = sorted(sketch)
  const wanted = rank * (countOf(sketch) - 1)
  let below = 0
  const found = buckets.find(([, count]) => (below += count) > wanted)
  return found === undefined ? null : Math.round(valueOf(found[0]) * 10) / 10
}

export const writeSketch = (writer: ByteWriter, sketch: LatencySketch): void => {
  const buckets = sorted(sketch)
  writer.whole(buckets.length)
  let before = 0
  for (const [bucket, count] of buckets) {
    writer.whole(bucket - before)
    writer.whole(count)
    before = bucket
  }
}

export const readSketch = (reader: ByteReader): LatencySketch => {
  const sketch = new Map<number, number>()
  let bucket = 0
  for (let left = reader.whole(); left > 0; left--) sketch.set(bucket += reader.whole(), reader.whole())
  return sketch
}

/** The number of values of the next sketch, at a fraction of the cost of reading it. */
export const countSketch = (reader: ByteReader): number => {
  let values = 0
  for (let left = reader.whole(); left > 0; left--) {
    reader.whole()
    values += reader.whole()
  }
  return values
}
