/** The response times of one component over 24 hours: a line of medians below the band up to the 95th percentile. */
import type { ResponseTimes } from "../../../schema/page/ResponseTimes.ts"
import type { ShownComponent } from "../../domain/page/snapshot/Snapshot.ts"
import type { PageContext } from "./Context.ts"

/** A bucket in which something was measured, with its position in the series. */
interface Point {
  readonly x: number
  readonly p50: number
  readonly p95: number
}

const height = 40

/** Unbroken runs of measured buckets: a gap in the data is a gap in the line. */
const runsOf = (data: ReadonlyArray<ResponseTimes["data"][number]>): ReadonlyArray<ReadonlyArray<Point>> => {
  const runs: Array<Array<Point>> = []
  let open = false
  data.forEach(({ p50, p95 }, x) => {
    if (p50 === null || p95 === null) {
      open = false
      return
    }
    const last = runs.at(-1)
    if (open && last !== undefined) last.push({ x, p50, p95 })
    else runs.push([{ x, p50, p95 }])
    open = true
  })
  return runs
}

const path = (points: ReadonlyArray<readonly [x: number, y: number]>): string =>
  points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y.toFixed(1)}`).join("")

/** A single measured bucket gets a width, so that it shows. */
const drawn = (run: ReadonlyArray<Point>): ReadonlyArray<Point> => {
  const [only] = run
  return run.length === 1 && only !== undefined ? [{ ...only, x: only.x - 0.4 }, { ...only, x: only.x + 0.4 }] : run
}

const middle = (figures: ReadonlyArray<number>): number => [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

export const ResponseChart = ({ component, context: { formats, words } }: {
  readonly component: ShownComponent
  readonly context: PageContext
}) => {
  if (component.responses === null) return null
  const { p50, p95, series: { data } } = component.responses
  const runs = runsOf(data)
  const points = runs.flat()
  if (p50 === null || p95 === null) return null
  // A single outlier must not flatten the rest, so the axis ends at three times the middle of the upper line.
  const top = Math.min(
    Math.max(...points.map(({ p95 }) => p95), 1),
    3 * Math.max(middle(points.map(({ p95 }) => p95)), 1)
  ) * 1.1
  const y = (figure: number) => Math.max(1, height - figure / top * (height - 2) - 1)
  const median = words.median(formats.millis(p50))
  const nearlyAll = words.nearlyAll(formats.millis(p95))
  return (
    <figure class="chart">
      <figcaption>
        <span>{words.responseTimes}</span>
        <span>{`${median} · ${nearlyAll}`}</span>
      </figcaption>
      <svg
        viewBox={`-0.5 0 ${data.length} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${component.name}, ${words.responseTimes}, ${words.lastHours(24)}. ${median}, ${nearlyAll}`}
      >
        {runs.map(drawn).map((run) => (
          <>
            <path
              class="band"
              d={`${path(run.map(({ p95, x }) => [x, y(p95)]))}${
                path([...run].reverse().map(({ p50, x }) => [x, y(p50)])).replace("M", "L")
              }Z`}
            />
            <path class="line50" d={path(run.map(({ p50, x }) => [x, y(p50)]))} />
          </>
        ))}
      </svg>
      <p class="scale">
        <span>{words.lastHours(24)}</span>
        <i />
        <span>{formats.now}</span>
      </p>
    </figure>
  )
}
