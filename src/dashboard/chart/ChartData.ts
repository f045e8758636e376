/** The chart of a monitor: its data, and what the reader chose to see of it. The server and the browser draw it alike. */

export type Cell = number | null

/** Start of the bucket (s since 1970), median, 95th percentile, failures, and the mean of each phase; times in ms. */
export type Point = ReadonlyArray<Cell>

/** The cells of a point. */
export const cells = { p50: 1, p95: 2, failures: 3, phases: 4 } as const

/** A bucket as the interface gives it, but for its time; latencies in ms. */
interface Bucket {
  readonly p50: number | null
  readonly p95: number | null
  readonly failures: number
  readonly phases: {
    readonly dnsMs: number | null
    readonly connectMs: number | null
    readonly tlsMs: number | null
    readonly firstByteMs: number | null
    readonly responseMs: number | null
  } | null
}

/** The point of a bucket that starts at `at`, s since 1970. */
export const pointOf = (at: number, { failures, p50, p95, phases }: Bucket): Point => [
  at,
  p50,
  p95,
  failures,
  ...(phases === null
    ? [null, null, null, null, null]
    : [phases.dnsMs, phases.connectMs, phases.tlsMs, phases.firstByteMs, phases.responseMs])
]

export const phaseNames = ["DNS", "Connect", "TLS", "First byte", "Rest"] as const

export interface Series {
  readonly region: string
  readonly points: ReadonlyArray<Point>
}

export interface Measured {
  readonly bucketSec: number
  readonly regions: ReadonlyArray<Series>
  /** Whether each point is one check. */
  readonly single?: boolean
}

/** A part of the time axis, s since 1970. */
export interface Part {
  readonly from: number
  readonly to: number
}

/** An event beside the latencies: a stretch of time, or a moment, whose ends are the same. */
export interface Mark extends Part {
  readonly kind: "incident" | "maintenance" | "deploy"
  readonly name: string
  readonly href: string
}

export interface State extends Part {
  readonly tone: string
  readonly word: string
}

export interface ChartData extends Measured, Part {
  readonly id: string
  readonly range: string
  readonly locale: string
  readonly zone: string
  readonly marks: ReadonlyArray<Mark>
  readonly states: ReadonlyArray<State>
  /** Above it, checks are degraded, ms. */
  readonly goalMs: number | null
}

export const modes = { p50: "Median", p95: "95th percentile", phases: "Phases" } as const
export type Mode = keyof typeof modes

export interface Choice extends Part {
  readonly mode: Mode
  /** Regions whose lines are off. */
  readonly hidden: ReadonlyArray<string>
  /** The moment that the reader points at; null for none. */
  readonly at: number | null
  readonly compares: boolean
  /** Denser points of the shown part; null where those of the range suffice. */
  readonly fine: Measured | null
  /** The same part a week before, moved to the times that are shown. */
  readonly before: ReadonlyArray<Series> | null
  /** The part that is being chosen with a pointer. */
  readonly dragged: Part | null
}

/** Single checks are told apart by the second. */
export const momentStyle = ({ fine }: Choice): "full" | "short" => fine?.single === true ? "full" : "short"

export const firstChoice = ({ from, to }: Part): Choice => ({
  from,
  to,
  mode: "p50",
  hidden: [],
  at: null,
  compares: false,
  fine: null,
  before: null,
  dragged: null
})

const numbersOf = ({ regions }: Measured, cell: number): boolean =>
  regions.some(({ points }) => points.some((point) => typeof point[cell] === "number"))

export const hasLatency = (measured: Measured): boolean => numbersOf(measured, cells.p50)

/** Pings have a duration, but no phases. */
export const hasPhases = (measured: Measured): boolean => numbersOf(measured, cells.phases)

/** The index of a region's colour, which it keeps whatever else is shown. */
export const colourOf = ({ regions }: ChartData, region: string): number =>
  Math.max(0, regions.findIndex((one) => one.region === region)) % 10

export const shownRegions = ({ regions }: Measured, hidden: ReadonlyArray<string>): ReadonlyArray<Series> =>
  regions.filter(({ region }) => !hidden.includes(region))

/** The point of a time; none if its bucket is further away than one. */
export const pointAt = (points: ReadonlyArray<Point>, at: number, bucketSec: number): Point | null => {
  let nearest: Point | null = null
  for (const point of points) {
    const away = Math.abs(Number(point[0]) - at)
    if (away <= bucketSec && (nearest === null || away < Math.abs(Number(nearest[0]) - at))) nearest = point
  }
  return nearest
}

/** The times of all points in a part, in order. */
export const timesIn = ({ regions }: Measured, { from, to }: Part): ReadonlyArray<number> =>
  [...new Set(regions.flatMap(({ points }) => points.map((point) => Number(point[0]))))]
    .filter((at) => at >= from && at <= to).sort((one, other) => one - other)

/** The mean of the regions' phases at each time, each stacked on those before it: rows of a time and five heights. */
export const stacks = (regions: ReadonlyArray<Series>): ReadonlyArray<Point> => {
  const sums = new Map<number, { count: number; readonly phases: Array<number> }>()
  for (const { points } of regions) {
    for (const point of points) {
      if (typeof point[cells.phases] !== "number") continue
      const at = Number(point[0])
      const sum = sums.get(at) ?? { count: 0, phases: phaseNames.map(() => 0) }
      sum.count += 1
      phaseNames.forEach((_, index) => (sum.phases[index] = (sum.phases[index] ?? 0) + Number(point[cells.phases + index] ?? 0)))
      sums.set(at, sum)
    }
  }
  return [...sums].sort(([one], [other]) => one - other).map(([at, { count, phases }]) => {
    let height = 0
    return [at, ...phases.map((sum) => (height += sum / count))]
  })
}
