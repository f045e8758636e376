/** The latency chart: by region or by phase, with incidents and deploys; zooms by dragging and by buttons. */
import uPlot from "uplot"
import { axisTimes } from "./AxisTimes.ts"
import { make, makeButton } from "./Dom.ts"
import { themeChanged } from "./Themes.ts"

type Cell = number | null
/** Start of the bucket (s), median, 95th percentile, failures, and the mean of each phase. */
type Point = ReadonlyArray<Cell>

interface Props {
  readonly from: number
  readonly to: number
  readonly bucketSec: number
  readonly zone: string
  readonly regions: ReadonlyArray<{ readonly region: string; readonly points: ReadonlyArray<Point> }>
  readonly deploys: ReadonlyArray<readonly [at: number, name: string]>
  readonly incidents: ReadonlyArray<readonly [from: number, to: number]>
}

const isProps = (given: unknown): given is Props => typeof given === "object" && given !== null && "regions" in given

const modes = { p50: "Median", p95: "95th percentile", phases: "Phases" } as const
type Mode = keyof typeof modes

const phaseNames = ["DNS", "Connect", "TLS", "First byte", "Rest"]
const strokes = ["#2f6fed", "#e0570b", "#0f9d8a", "#9b51e0", "#c27803", "#d92d70", "#5b7083", "#1a9550", "#8a5a2b", "#4b4fd9"]
const firstPhase = 4

const strokeOf = (index: number): string => strokes[index % strokes.length] ?? "#2f6fed"

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const duration = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? "–" : ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 10) / 100} s`

const timesOf = ({ bucketSec, from, to }: Props): Array<number> => {
  const times: Array<number> = []
  for (let at = from; at <= to; at += bucketSec) times.push(at)
  return times
}

/** Buckets without a check are gaps. */
const columnOf = (times: ReadonlyArray<number>, points: ReadonlyArray<Point>, cell: number): Array<Cell> => {
  const byTime = new Map(points.map((point) => [point[0], point[cell] ?? null]))
  return times.map((at) => byTime.get(at) ?? null)
}

/** The mean of the regions, each phase stacked on those before it. */
const stacked = (times: ReadonlyArray<number>, { regions }: Props): ReadonlyArray<Array<Cell>> => {
  const sums: Array<Array<Cell>> = []
  for (let phase = 0; phase < phaseNames.length; phase++) {
    const columns = regions.map(({ points }) => columnOf(times, points, firstPhase + phase))
    sums.push(times.map((_, index) => {
      const known = columns.flatMap((column) => column[index] ?? [])
      if (known.length === 0) return null
      return known.reduce((sum, one) => sum + one, 0) / known.length + (sums[phase - 1]?.[index] ?? 0)
    }))
  }
  return sums
}

const hasPhases = ({ regions }: Props): boolean =>
  regions.some(({ points }) => points.some((point) => typeof point[firstPhase] === "number"))

const lineSeries = (props: Props, times: Array<number>, cell: number) => ({
  data: [times, ...props.regions.map(({ points }) => columnOf(times, points, cell))],
  series: props.regions.map(({ region }, index): uPlot.Series => ({
    label: region,
    stroke: strokeOf(index),
    width: 2,
    value: (_: uPlot, value: Cell) => duration(value)
  })),
  bands: []
})

const phaseSeries = (props: Props, times: Array<number>) => {
  const sums = stacked(times, props)
  // Drawn from the top, so that each covers only its own band.
  const order = phaseNames.map((_, index) => phaseNames.length - 1 - index)
  return {
    data: [times, ...order.map((phase) => sums[phase] ?? [])],
    series: order.map((phase): uPlot.Series => ({
      label: phaseNames[phase] ?? "",
      stroke: strokeOf(phase),
      fill: `${strokeOf(phase)}55`,
      width: 1,
      points: { show: false },
      value: (_: uPlot, value: Cell, __: number, at: number | null) =>
        at === null || value === null ? "–" : duration(value - (sums[phase - 1]?.[at] ?? 0))
    })),
    bands: order.slice(0, -1).map((_, index): uPlot.Band => ({ series: [index + 1, index + 2] }))
  }
}

/** Incidents behind the lines, deploys before them. */
const axisMarks = ({ deploys, incidents }: Props): uPlot.Plugin => ({
  hooks: {
    drawClear: ({ bbox, ctx, valToPos }: uPlot) => {
      ctx.save()
      ctx.fillStyle = `${colour("--major")}22`
      for (const [from, to] of incidents) {
        const left = Math.max(bbox.left, valToPos(from, "x", true))
        const right = Math.min(bbox.left + bbox.width, valToPos(to, "x", true))
        if (right > bbox.left && left < bbox.left + bbox.width) {
          ctx.fillRect(left, bbox.top, Math.max(2, right - left), bbox.height)
        }
      }
      ctx.restore()
    },
    draw: ({ bbox, ctx, valToPos }: uPlot) => {
      ctx.save()
      ctx.strokeStyle = colour("--accent")
      ctx.setLineDash([4, 4])
      for (const [at] of deploys) {
        const x = valToPos(at, "x", true)
        if (x < bbox.left || x > bbox.left + bbox.width) continue
        ctx.beginPath()
        ctx.moveTo(x, bbox.top)
        ctx.lineTo(x, bbox.top + bbox.height)
        ctx.stroke()
      }
      ctx.restore()
    }
  }
})

const draw = (element: HTMLElement, props: Props, mode: Mode): uPlot => {
  const times = timesOf(props)
  const { bands, data, series } = mode === "phases" ? phaseSeries(props, times) : lineSeries(props, times, mode === "p50" ? 1 : 2)
  const grid = { stroke: colour("--line"), width: 1 }
  const axis = { stroke: colour("--muted"), grid, ticks: grid, font: "12px system-ui, sans-serif" }
  // uPlot reads columns of numbers; the first holds the times.
  const [first = [], ...others] = data
  const moments = axisTimes(document.documentElement.lang, props.zone)
  const columns: uPlot.AlignedData = [first.map(Number), ...others]
  return new uPlot(
    {
      width: element.clientWidth,
      height: 280,
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), props.zone),
      scales: {
        x: { time: true, min: props.from, max: props.to },
        y: { range: (_, __, max) => [0, Math.max(10, (max ?? 0) * 1.1)] }
      },
      axes: [{ ...axis, values: (_, ticks, __, ___, apart) => moments.ticks(ticks, apart) }, {
        ...axis,
        size: 62,
        values: (_, splits) => splits.map(duration)
      }],
      series: [{ label: "Time", value: (_, at) => at === null ? "–" : moments.legend(at) }, ...series],
      bands,
      plugins: [axisMarks(props)],
      cursor: { drag: { x: true, y: false } }
    },
    columns,
    element
  )
}

/** Changes what part of the range is shown: by a factor around the middle, or sideways by a share. */
const zoom = (plot: uPlot, { from, to }: Props, factor: number, sideways = 0): void => {
  const { max = to, min = from } = { min: plot.scales["x"]?.min, max: plot.scales["x"]?.max }
  const length = Math.min(to - from, (max - min) * factor)
  const middle = (min + max) / 2 + sideways * (max - min)
  const left = Math.max(from, Math.min(to - length, middle - length / 2))
  plot.setScale("x", { min: left, max: left + length })
}

const toolbar = (props: Props, at: Mode, current: () => uPlot, show: (mode: Mode) => void): HTMLElement => {
  // Pings have a duration but no phases.
  const offered = Object.entries(modes).filter(([mode]) => mode !== "phases" || hasPhases(props))
  const chosen = offered.map(([mode, name]) => {
    const one = makeButton(name, () => {
      for (const other of chosen) other.setAttribute("aria-pressed", String(other === one))
      if (mode === "p50" || mode === "p95" || mode === "phases") show(mode)
    }, { "class": "", "aria-pressed": String(mode === at) })
    return one
  })
  const zooms = [
    makeButton("Zoom in", () => zoom(current(), props, 0.5)),
    makeButton("Zoom out", () => zoom(current(), props, 2)),
    makeButton("Earlier", () => zoom(current(), props, 1, -0.5)),
    makeButton("Later", () => zoom(current(), props, 1, 0.5))
  ]
  return make(
    "div",
    { class: "chart-bar" },
    make("div", { "class": "segments", "role": "group", "aria-label": "Figure" }, ...chosen),
    make("div", { class: "buttons" }, ...zooms)
  )
}

/** The reader's choices, which live updates keep, and the controller that ends the chart of the old data. */
interface Kept {
  mode: Mode
  shown: { readonly min: number; readonly max: number } | null
  ending: AbortController
}

const kept = new WeakMap<HTMLElement, Kept>()

/** The shown part of the range; null for all of it. */
const shownPart = (plot: uPlot, { from, to }: Props): Kept["shown"] => {
  const { max, min } = plot.scales["x"] ?? {}
  return min === undefined || max === undefined || min === null || max === null || (min <= from && max >= to)
    ? null
    : { min, max }
}

export const mount = (element: HTMLElement, given: unknown): void => {
  if (!isProps(given)) return
  const before = kept.get(element)
  before?.ending.abort()
  const own: Kept = { mode: before?.mode ?? "p50", shown: before?.shown ?? null, ending: new AbortController() }
  kept.set(element, own)
  const label = "Latency over time. The table of figures says the same."
  const holder = make("div", { "class": "chart", "role": "img", "aria-label": label })
  const paint = () => {
    holder.replaceChildren()
    const drawn = draw(holder, given, own.mode)
    if (own.shown !== null) drawn.setScale("x", own.shown)
    drawn.hooks.setScale = [() => {
      own.shown = shownPart(drawn, given)
    }]
    return drawn
  }
  let plot: uPlot
  const repaint = () => {
    plot.destroy()
    plot = paint()
  }
  const choose = (mode: Mode) => {
    own.mode = mode
    repaint()
  }
  element.replaceChildren(toolbar(given, own.mode, () => plot, choose), holder)
  plot = paint()
  const sizes = new ResizeObserver(() => {
    if (holder.clientWidth > 0 && Math.abs(plot.width - holder.clientWidth) > 1) {
      plot.setSize({ width: holder.clientWidth, height: 280 })
    }
  })
  sizes.observe(holder)
  const { signal } = own.ending
  signal.addEventListener("abort", () => {
    sizes.disconnect()
    plot.destroy()
  })
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal })
  addEventListener(themeChanged, repaint, { signal })
}
