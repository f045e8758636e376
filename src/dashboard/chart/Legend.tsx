/** The legend of the chart: its lines, which can be turned off, with their values at the moment that is pointed at. */
import { momentsIn } from "../../domain/tools/time/Moments.ts"
import { numbersIn } from "../design/Formats.ts"
import { cells, colourOf, hasLatency, momentStyle, phaseNames, pointAt, shownRegions, stacks, timesIn } from "./ChartData.ts"
import type { ChartProps } from "./ChartProps.ts"
import { latencyText } from "./LatencyText.ts"

const Regions = ({ actions, at, choice, data }: ChartProps & { readonly at: number }) => {
  const { before, compares, fine, hidden, mode } = choice
  const measured = fine ?? data
  const cell = mode === "p95" ? cells.p95 : cells.p50
  const pointIn = (region: string, regions = measured.regions, bucketSec = measured.bucketSec) =>
    pointAt(regions.find((one) => one.region === region)?.points ?? [], at, bucketSec)
  return (
    <>
      {data.regions.map(({ region }) => {
        const isOn = !hidden.includes(region)
        const was = compares ? pointIn(region, before ?? [], data.bucketSec)?.[cell] : undefined
        const own = (
          <>
            <i class={`line-key c${colourOf(data, region)}`} /> {region}{" "}
            <b>{isOn ? latencyText(data.locale, pointIn(region)?.[cell]) : "off"}</b>
            {isOn && was !== undefined ? <small>{` was ${latencyText(data.locale, was)}`}</small> : null}
          </>
        )
        return (
          <li>
            {data.regions.length === 1 ? <span>{own}</span> : (
              <button
                type="button"
                aria-pressed={isOn}
                onClick={() => actions?.choose({ hidden: isOn ? [...hidden, region] : hidden.filter((one) => one !== region) })}
              >
                {own}
              </button>
            )}
          </li>
        )
      })}
    </>
  )
}

const Phases = ({ at, choice, data }: ChartProps & { readonly at: number }) => {
  const measured = choice.fine ?? data
  const row = pointAt(stacks(shownRegions(measured, choice.hidden)), at, measured.bucketSec)
  return (
    <>
      {phaseNames.map((name, index) => (
        <li>
          <span>
            <i class={`line-key c${index}`} /> {name}{" "}
            <b>{latencyText(data.locale, row === null ? null : (row[index + 1] ?? 0) - (index === 0 ? 0 : row[index] ?? 0))}</b>
          </span>
        </li>
      ))}
    </>
  )
}

export const Legend = (props: ChartProps & { readonly failures: number }) => {
  const { choice, data, failures } = props
  const measured = choice.fine ?? data
  const at = choice.at ?? timesIn(measured, choice).at(-1) ?? data.to
  const goal = data.goalMs
  return (
    <ul class="chart-legend">
      <li>
        <b class="at">{momentsIn(data.locale, data.zone, momentStyle(choice)).format(at * 1000)}</b>
      </li>
      {choice.mode === "phases" ? <Phases {...props} at={at} /> : <Regions {...props} at={at} />}
      {choice.compares && choice.before !== null && !hasLatency({ ...data, regions: choice.before })
        ? (
          <li>
            <span>No checks a week before</span>
          </li>
        )
        : null}
      {goal === null ? null : (
        <li>
          <span>
            <i class="line-key goal" /> Degraded above <b>{latencyText(data.locale, goal)}</b>
          </span>
        </li>
      )}
      {failures === 0 ? null : (
        <li>
          <span>
            <i class="line-key failed" /> Failed checks <b>{numbersIn(data.locale, "count").format(failures)}</b>
          </span>
        </li>
      )}
    </ul>
  )
}
