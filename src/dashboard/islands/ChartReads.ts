/** Reads what the chart of a monitor shows beyond its view: denser points of a part, and the same part a week before. */
import { type ChartData, type Measured, type Part, pointOf, type Series } from "../chart/ChartData.ts"
import { callApi } from "./Dom.ts"

const day = 86_400
const week = 7 * day

/** The parts that are shown in single checks, s, and the most checks that one read gives. */
const mostSingle = 3 * 3600
const mostChecks = 500

interface Phases {
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  readonly firstByteMs: number | null
}

interface History {
  readonly bucketSec: number
  readonly regions: ReadonlyArray<{
    readonly region: string
    readonly data: ReadonlyArray<{
      readonly at: string
      readonly p50: number | null
      readonly p95: number | null
      readonly failures: number
      readonly phases: (Phases & { readonly responseMs: number }) | null
    }>
  }>
}

interface Checks {
  readonly next: string | null
  readonly data: ReadonlyArray<{
    readonly at: string
    readonly region: string
    readonly outcome: string
    readonly latencyMs: number | null
    readonly timings: (Phases & { readonly totalMs: number }) | null
  }>
}

const secondsOf = (at: string): number => Date.parse(at) / 1000

const isoOf = (at: number): string => new Date(at * 1000).toISOString()

/** Null if the answer cannot be had: the chart then keeps what it has. */
const read = <Answer>(path: string, signal: AbortSignal): Promise<Answer | null> => {
  const asked = callApi(`/monitors/${path}`, { headers: { accept: "application/json" }, signal })
  const given: Promise<Answer | null> = asked.then((answer) => answer.ok ? answer.json() : null)
  return given.catch(() => null)
}

const ranges = [["24h", day, 1800], ["7d", 7 * day, 3600], ["30d", 30 * day, 14_400]] as const

const measuredOf = ({ bucketSec, regions }: History, later: number): Measured => ({
  bucketSec,
  regions: regions.map(({ data, region }) => ({
    region,
    points: data.map(({ at, ...bucket }) => pointOf(secondsOf(at) + later, bucket))
  }))
})

const readHistory = async (
  { id }: ChartData,
  range: string,
  until: number,
  later: number,
  signal: AbortSignal
): Promise<Measured | null> => {
  const history = await read<History>(`${id}/history?range=${range}&until=${isoOf(until)}`, signal)
  return history === null ? null : measuredOf(history, later)
}

const middle = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 60

const singleOf = ({ data }: Checks): Measured => {
  const regions = [...new Set(data.map(({ region }) => region))].sort()
  const series = regions.map((region): Series => ({
    region,
    points: data.filter((check) => check.region === region).reverse().map(({ at, latencyMs, outcome, timings }) => {
      const ms = outcome === "down" ? null : latencyMs
      const phases = outcome === "down" || timings === null
        ? [null, null, null, null, null]
        : [timings.dnsMs ?? 0, timings.connectMs ?? 0, timings.tlsMs ?? 0, timings.firstByteMs ?? 0]
      const rest = timings === null ? null : timings.totalMs - phases.reduce((sum: number, one) => sum + (one ?? 0), 0)
      return [secondsOf(at), ms, ms, outcome === "down" ? 1 : 0, ...phases.slice(0, 4), phases[4] === null ? null : rest]
    })
  }))
  const apart = series.flatMap(({ points }) =>
    points.slice(1).map((point, index) => Number(point[0]) - Number(points[index]?.[0]))
  )
  return { single: true, bucketSec: Math.max(1, middle(apart)), regions: series }
}

/** The checks of a part; null if one read does not give all of them. */
const readChecks = async ({ id }: ChartData, { from, to }: Part, signal: AbortSignal): Promise<Measured | null> => {
  const query = `since=${isoOf(from)}&before=${isoOf(to)}&limit=${mostChecks}`
  const checks = await read<Checks>(`${id}/checks?${query}`, signal)
  return checks === null || checks.next !== null || checks.data.length === 0 ? null : singleOf(checks)
}

/** Denser points of a part; null if the chart's own are the densest. */
export const readFiner = async (data: ChartData, part: Part, signal: AbortSignal): Promise<Measured | null> => {
  const length = part.to - part.from
  const single = length <= mostSingle ? await readChecks(data, part, signal) : null
  if (single !== null) return single
  const finer = ranges.find(([, covers, bucketSec]) => length <= covers && bucketSec < data.bucketSec)
  if (finer === undefined) return null
  const measured = await readHistory(data, finer[0], part.to, 0, signal)
  return measured !== null && measured.regions.some(({ points }) => points.length > 0) ? measured : null
}

/** The points of the week before a part, at the times of the part. */
export const readBefore = async (data: ChartData, part: Part, signal: AbortSignal): Promise<ReadonlyArray<Series> | null> => {
  const length = part.to - part.from
  const [range] = ranges.find(([, covers]) => length <= covers) ?? ["90d"]
  const measured = await readHistory(data, range, part.to - week, week, signal)
  return measured === null ? null : measured.regions
}
