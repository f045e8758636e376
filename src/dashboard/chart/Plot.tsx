/** The drawing of the chart. Texts stand beside the stretched shapes, so that they keep their form at every width. */
import { momentsIn } from "../../domain/tools/time/Moments.ts"
import {
  cells,
  type ChartData,
  type Choice,
  colourOf,
  hasLatency,
  phaseNames,
  pointAt,
  shownRegions,
  stacks
} from "./ChartData.ts"
import type { ChartProps } from "./ChartProps.ts"
import { areaPath, dotsPath, type Drawing, failedAt, isBand, linePath, shareOf, timeTicks, topOf, width } from "./ChartScale.ts"
import { latencyText } from "./LatencyText.ts"
import { Marks } from "./Marks.tsx"

/** Heights in pixels: what happened, latencies, states, and the texts of the time axis. */
const lane = 28
const latencies = 200
const strip = 12
const gap = 10

const xIn = (choice: Choice, at: number): number => Math.round(shareOf(choice, at) * width * 10) / 10

const percentOf = (choice: Choice, at: number): string =>
  `${Math.round(Math.max(0, Math.min(1, shareOf(choice, at))) * 1000) / 10}%`

const Spans = ({ choice, height, of, y }: {
  readonly choice: Choice
  readonly y: number
  readonly height: number
  readonly of: ReadonlyArray<{ readonly from: number; readonly to: number; readonly class: string; readonly title?: string }>
}) => (
  <>
    {of.filter(({ from, to }) => to >= choice.from && from <= choice.to).map(({ class: look, from, title, to }) => {
      const left = Math.max(0, xIn(choice, from))
      return (
        <rect x={left} y={y} width={Math.max(1.5, Math.min(width, xIn(choice, to)) - left)} height={height} class={look}>
          {title === undefined ? null : <title>{title}</title>}
        </rect>
      )
    })}
  </>
)

const Lines = ({ choice, data, drawing }: { readonly data: ChartData; readonly choice: Choice; readonly drawing: Drawing }) => {
  const { before, fine, hidden, mode } = choice
  const measured = fine ?? data
  const cell = mode === "p95" ? cells.p95 : cells.p50
  const shown = shownRegions(measured, hidden)
  const [only] = shown
  return (
    <>
      {only === undefined || !isBand(data, choice) ?
        null :
        <path class={`area c${colourOf(data, only.region)}`} d={areaPath(drawing, only.points, cells.p50, cells.p95)} />}
      {(before ?? []).filter(({ region }) => !hidden.includes(region)).map((series) => (
        <path
          class={`line before c${colourOf(data, series.region)}`}
          d={linePath({ ...drawing, bucketSec: Math.max(drawing.bucketSec, data.bucketSec) }, series, cell)}
        />
      ))}
      {shown.map((series) => (
        <>
          <path class={`line c${colourOf(data, series.region)}`} d={linePath(drawing, series, cell)} />
          {measured.single === true
            ? <path class={`dots c${colourOf(data, series.region)}`} d={dotsPath(drawing, series.points, cell)} />
            : null}
        </>
      ))}
      {choice.at === null ? null : shown.map(({ points, region }) => {
        const point = pointAt(points, choice.at ?? 0, measured.bucketSec)
        return point === null ? null : <path class={`dots at c${colourOf(data, region)}`} d={dotsPath(drawing, [point], cell)} />
      })}
    </>
  )
}

const Phases = ({ choice, data, drawing }: { readonly data: ChartData; readonly choice: Choice; readonly drawing: Drawing }) => {
  const rows = stacks(shownRegions(choice.fine ?? data, choice.hidden))
  return (
    <>
      {phaseNames.map((_, index) => (
        <path class={`phase c${index}`} d={areaPath(drawing, rows, index === 0 ? null : index, index + 1)} />
      ))}
    </>
  )
}

const Latencies = ({ choice, data, drawing }: {
  readonly data: ChartData
  readonly choice: Choice
  readonly drawing: Drawing
}) => {
  const { height, top } = drawing
  const { goalMs, marks } = data
  const measured = choice.fine ?? data
  const goal = goalMs === null || goalMs > top ? null : Math.round((height - goalMs / top * height) * 10) / 10
  const moments = marks.filter(({ from, kind }) => kind === "deploy" && from >= choice.from && from <= choice.to)
  return (
    <svg
      x="0"
      y={lane}
      width="100%"
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {[0, 1, 2, 3, 4].map((line) => <line x1="0" x2={width} y1={height * line / 4} y2={height * line / 4} class="grid" />)}
      <Spans
        choice={choice}
        y={0}
        height={height}
        of={marks.filter(({ kind }) => kind !== "deploy").map((mark) => ({ ...mark, class: `band ${mark.kind}` }))}
      />
      <Spans
        choice={choice}
        y={height - 5}
        height={5}
        of={failedAt(shownRegions(measured, choice.hidden)).map((at) => ({
          from: at,
          to: at + (measured.single === true ? 0 : measured.bucketSec),
          class: "failed"
        }))}
      />
      {choice.mode === "phases"
        ? <Phases data={data} choice={choice} drawing={drawing} />
        : <Lines data={data} choice={choice} drawing={drawing} />}
      {goal === null ? null : <line x1="0" x2={width} y1={goal} y2={goal} class="goal" />}
      {moments.map(({ from }) => <line x1={xIn(choice, from)} x2={xIn(choice, from)} y1="0" y2={height} class="deploy" />)}
      {choice.at === null ?
        null :
        <line x1={xIn(choice, choice.at)} x2={xIn(choice, choice.at)} y1="0" y2={height} class="cursor" />}
      {choice.dragged === null ?
        null :
        <Spans choice={choice} y={0} height={height} of={[{ ...choice.dragged, class: "dragged" }]} />}
    </svg>
  )
}

const TimeAxis = ({ choice, data, y }: { readonly choice: Choice; readonly data: ChartData; readonly y: number }) => (
  <>
    {timeTicks(choice, data.locale, data.zone).map(({ at, isDay, text }, index) => {
      const share = shareOf(choice, at)
      return (
        <text
          x={percentOf(choice, at)}
          y={y}
          text-anchor={share < 0.04 ? "start" : share > 0.96 ? "end" : "middle"}
          class={`tick${isDay ? " day" : ""}${index % 2 === 1 ? " second" : ""}`}
        >
          {text}
        </text>
      )
    })}
  </>
)

/** Says in words what the drawing shows. */
const saidOf = (data: ChartData): string => {
  const down = data.states.filter(({ tone }) => tone === "bad").length
  const said = down === 0 ? "never down" : down === 1 ? "down once" : `down ${down} times`
  return hasLatency(data)
    ? `Latency and states over time: ${said}. The table of figures says the same.`
    : `States over time: ${said}.`
}

export const Plot = ({ actions, choice, data }: ChartProps) => {
  const height = hasLatency(data) ? latencies : 0
  const measured = choice.fine ?? data
  const drawing: Drawing = { part: choice, bucketSec: measured.bucketSec, top: topOf(data, choice), height }
  const states = lane + height + (height === 0 ? 0 : gap)
  const whole = states + strip + 22
  const moments = momentsIn(data.locale, data.zone, "short")
  return (
    <>
      {height === 0 ? <span /> : (
        <svg class="plot-y" width="58" height={whole} aria-hidden="true">
          {[0, 1, 2, 3, 4].map((line) => (
            <text x="50" y={lane + height * line / 4 + 4} text-anchor="end" class="tick">
              {latencyText(data.locale, drawing.top * (4 - line) / 4)}
            </text>
          ))}
        </svg>
      )}
      <svg class="plot-x" width="100%" height={whole} role="group" aria-label={saidOf(data)} {...actions?.pointer}>
        {height === 0 ? null : <Latencies data={data} choice={choice} drawing={drawing} />}
        <svg
          x="0"
          y={states}
          width="100%"
          height={strip}
          viewBox={`0 0 ${width} ${strip}`}
          preserveAspectRatio="none"
        >
          <rect x="0" y="0" width={width} height={strip} class="rail" />
          <Spans
            choice={choice}
            y={0}
            height={strip}
            of={data.states.map(({ from, to, tone, word }) => ({
              from,
              to,
              class: `is-${tone} mark`,
              title: `${word} from ${moments.format(from * 1000)}`
            }))}
          />
        </svg>
        <Marks choice={choice} data={data} />
        <TimeAxis choice={choice} data={data} y={whole - 4} />
      </svg>
    </>
  )
}
