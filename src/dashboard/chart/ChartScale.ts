/** Scales and paths of the chart: where times and latencies are, and the ticks of both axes. */
import { momentsIn } from "../../domain/tools/time/Moments.ts"
import { offsetAt as offsetMs } from "../../domain/tools/time/ZoneOffset.ts"
import {
  type Cell,
  cells,
  type ChartData,
  type Choice,
  type Part,
  type Point,
  type Series,
  shownRegions,
  stacks
} from "./ChartData.ts"

/** Width of the drawing in its own units; it is stretched to the width of the view. */
export const width = 1000

/** The share of the shown part that a time is in, 0 to 1 if it is in it. */
export const shareOf = ({ from, to }: Part, at: number): number => (at - from) / Math.max(1, to - from)

const rounded = (value: number): number => Math.round(value * 10) / 10

const steps = [60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600]

export interface Tick {
  readonly at: number
  readonly text: string
  readonly isDay: boolean
}

/** At most eight ticks at whole clock times of the zone, with the day in place of midnight. */
export const timeTicks = (part: Part, locale: string, zone: string): ReadonlyArray<Tick> => {
  const step = steps.find((one) => (part.to - part.from) / one <= 8) ?? 2_592_000
  const offsetAt = (at: number) => offsetMs(at * 1000, zone) / 1000
  const ticks: Array<Tick> = []
  const start = Math.floor((part.from + offsetAt(part.from)) / step) * step
  for (let clock = start; clock <= part.to + 86_400; clock += step) {
    const at = clock - offsetAt(clock - offsetAt(clock))
    if (at < part.from || at > part.to) continue
    const isDay = clock % 86_400 === 0
    ticks.push({ at, isDay, text: momentsIn(locale, zone, isDay ? "dayAndMonth" : "hour").format(at * 1000) })
  }
  return ticks
}

/** A round number at least as large, of which a quarter is round, too. */
const roundTop = (value: number): number => {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return ([1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].find((one) => one * size >= value) ?? 10) * size
}

/** The top of the latency axis, ms. A goal far above what is measured is left out of sight. */
export const topOf = (data: ChartData, choice: Choice): number => {
  const { before, fine, from, hidden, mode, to } = choice
  const regions = shownRegions(fine ?? data, hidden)
  const lines = mode === "phases"
    ? stacks(regions).map((row) => [row[0] ?? 0, row.at(-1) ?? 0] as const)
    : [...regions, ...shownRegions({ regions: before ?? [], bucketSec: 0 }, hidden)].flatMap(({ points }) =>
      points.map((point) =>
        [point[0] ?? 0, Math.max(point[cells[mode]] ?? 0, isBand(data, choice) ? point[cells.p95] ?? 0 : 0)] as const
      )
    )
  const most = Math.max(10, ...lines.filter(([at]) => at >= from && at <= to).map(([, value]) => value))
  return roundTop(Math.max(most * 1.05, data.goalMs !== null && data.goalMs <= most * 2.5 ? data.goalMs * 1.05 : 0))
}

/** Whether the 95th percentile is shown as a band above the median: only where one region is shown. */
export const isBand = (data: ChartData, { fine, hidden, mode }: Choice): boolean =>
  mode === "p50" && (fine === null || fine.single !== true) && shownRegions(data, hidden).length === 1

export interface Drawing {
  readonly part: Part
  readonly bucketSec: number
  /** ms */
  readonly top: number
  readonly height: number
}

const xOf = ({ part }: Drawing, at: number): number => rounded(shareOf(part, at) * width)

const yOf = ({ height, top }: Drawing, value: number): number => rounded(height - Math.min(1.2, value / top) * height)

/** Unbroken runs of values in the shown part and beside it: where a bucket is missing, the line has a gap. */
const runsOf = (drawing: Drawing, rows: ReadonlyArray<readonly [at: number, ...values: ReadonlyArray<number>]>) => {
  const { bucketSec, part } = drawing
  const runs: Array<Array<typeof rows[number]>> = []
  let before = -Infinity
  for (const row of rows) {
    if (row[0] < part.from - 2 * bucketSec || row[0] > part.to + 2 * bucketSec) continue
    if (row[0] - before > 2.5 * bucketSec) runs.push([])
    runs.at(-1)?.push(row)
    before = row[0]
  }
  return runs
}

const valued = (points: ReadonlyArray<Point>, cell: number): ReadonlyArray<readonly [at: number, value: number]> =>
  points.flatMap((point) => {
    const value: Cell = point[cell] ?? null
    return value === null ? [] : [[Number(point[0]), value] as const]
  })

const through = (drawing: Drawing, run: ReadonlyArray<readonly [number, number]>): string =>
  run.map(([at, value], index) => `${index === 0 ? "M" : "L"}${xOf(drawing, at)} ${yOf(drawing, value)}`).join("")

/** A line of one cell. A value between two gaps is a dot. */
export const linePath = (drawing: Drawing, { points }: Series, cell: number): string =>
  runsOf(drawing, valued(points, cell)).map((run) => {
    const pairs = run.map(([at, value]) => [at, value ?? 0] as const)
    return `${through(drawing, pairs)}${pairs.length === 1 ? "h0" : ""}`
  }).join("")

export const dotsPath = (drawing: Drawing, points: ReadonlyArray<Point>, cell: number): string =>
  valued(points, cell).filter(([at]) => at >= drawing.part.from && at <= drawing.part.to)
    .map(([at, value]) => `M${xOf(drawing, at)} ${yOf(drawing, value)}h0`).join("")

/** The area between two columns of rows; the lower one is the axis if it is null. */
export const areaPath = (drawing: Drawing, rows: ReadonlyArray<Point>, lower: number | null, upper: number): string => {
  const given = rows.flatMap((row) => {
    const [low, high] = [lower === null ? 0 : row[lower] ?? null, row[upper] ?? null]
    return low === null || high === null ? [] : [[Number(row[0]), low, high] as const]
  })
  return runsOf(drawing, given).map((run) => {
    const above = run.map(([at, , high]) => [at, high ?? 0] as const)
    const below = run.map(([at, low]) => [at, low ?? 0] as const).reverse()
    return `${through(drawing, above)}${through(drawing, below).replace("M", "L")}Z`
  }).join("")
}

/** The buckets in which a check of these regions failed. */
export const failedAt = (regions: ReadonlyArray<Series>): ReadonlyArray<number> => [
  ...new Set(
    regions.flatMap(({ points }) => points.flatMap((point) => (point[cells.failures] ?? 0) > 0 ? [Number(point[0])] : []))
  )
]
