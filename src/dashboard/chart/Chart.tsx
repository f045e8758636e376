/** The chart of a monitor: latencies by region or phase, its states, and what happened, over one time axis. */
import { momentsIn } from "../../domain/tools/time/Moments.ts"
import { cells, hasLatency, hasPhases, type Mode, modes, momentStyle, timesIn } from "./ChartData.ts"
import type { ChartProps } from "./ChartProps.ts"
import { Legend } from "./Legend.tsx"
import { Plot } from "./Plot.tsx"

const Bar = ({ actions, choice, data }: ChartProps) => {
  const offered = Object.entries(modes).filter(([mode]) => mode !== "phases" || hasPhases(data))
  const isWhole = choice.from <= data.from && choice.to >= data.to
  return (
    <div class="chart-bar scripted">
      {hasLatency(data)
        ? (
          <div class="buttons">
            <div class="segments" role="group" aria-label="Figure">
              {offered.map(([mode, name]) => (
                <button
                  type="button"
                  aria-pressed={mode === choice.mode}
                  onClick={() => actions?.choose({ mode: Object.keys(modes).find((one): one is Mode => one === mode) ?? "p50" })}
                >
                  {name}
                </button>
              ))}
            </div>
            <div class="segments" role="group" aria-label="Comparison">
              <button
                type="button"
                aria-pressed={choice.compares}
                disabled={choice.mode === "phases"}
                onClick={() => actions?.choose({ compares: !choice.compares })}
              >
                Week before
              </button>
            </div>
          </div>
        )
        : <span />}
      <div class="segments" role="group" aria-label="Zoom">
        <button type="button" aria-label="Earlier" disabled={isWhole} onClick={() => actions?.zoom(1, -0.5)}>←</button>
        <button type="button" aria-label="Zoom out" disabled={isWhole} onClick={() => actions?.zoom(2, 0)}>−</button>
        <button type="button" aria-label="Zoom in" onClick={() => actions?.zoom(0.5, 0)}>+</button>
        <button type="button" aria-label="Later" disabled={isWhole} onClick={() => actions?.zoom(1, 0.5)}>→</button>
        <button
          type="button"
          disabled={isWhole}
          onClick={() => actions?.choose({ from: data.from, to: data.to, fine: null })}
        >
          Reset
        </button>
      </div>
    </div>
  )
}

/** Moves the pointed-at moment with the arrow keys. */
const Scrubber = ({ actions, choice, data }: ChartProps) => {
  const times = timesIn(choice.fine ?? data, choice)
  const last = times.length - 1
  const at = choice.at === null ? last : times.findIndex((time) => time >= (choice.at ?? 0))
  if (last < 1) return null
  const shown = times[at < 0 ? last : at] ?? data.to
  return (
    <input
      class="scrub scripted"
      type="range"
      aria-label="Moment"
      aria-valuetext={momentsIn(data.locale, data.zone, momentStyle(choice)).format(shown * 1000)}
      min={0}
      max={last}
      step={1}
      value={at < 0 ? last : at}
      onInput={({ currentTarget: { value } }) => actions?.choose({ at: times[Number(value)] ?? null })}
    />
  )
}

export const Chart = (props: ChartProps) => {
  const { choice, data } = props
  const measured = choice.fine ?? data
  const shows = hasLatency(data)
  const failures = measured.regions.flatMap(({ points }) =>
    points.flatMap((point) =>
      Number(point[0]) >= choice.from && Number(point[0]) <= choice.to ? [point[cells.failures] ?? 0] : []
    )
  ).reduce((sum, one) => sum + one, 0)
  return (
    <div class="chart">
      <Bar {...props} />
      {shows ? <Legend {...props} failures={failures} /> : null}
      <div class="plot">
        <Plot {...props} />
        <Scrubber {...props} />
      </div>
    </div>
  )
}
