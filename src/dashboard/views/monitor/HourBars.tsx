/** The last 24 hours of a monitor as bars: the worst state of each hour in its colour, the latency as the height. */
import type { HourState } from "../../../../schema/monitor/Monitor.ts"
import { type Tone, toneOfMonitor } from "../../design/Parts.tsx"
import { useNumber } from "../../design/Time.tsx"

const step = 6
const bar = 4
const height = 22
/** A bar is never lower than this, so that its colour is seen. */
const lowest = 7

interface HoursProps {
  readonly states: ReadonlyArray<HourState | null>
  readonly trend: ReadonlyArray<number | null>
}

/** From the lowest to the whole height, by the root of the latency: one slow hour does not flatten the others. */
const heightOf = (latency: number | null, most: number): number =>
  latency === null || most === 0 ? height : Math.round(lowest + (height - lowest) * Math.sqrt(latency / most))

/** One path for each tone: fewer elements than one for each hour. */
const pathsOf = ({ states, trend }: HoursProps): ReadonlyArray<readonly [Tone, string]> => {
  const most = Math.max(0, ...trend.map((latency) => latency ?? 0))
  const paths = new Map<Tone, string>()
  for (const [hour, state] of states.entries()) {
    const tone: Tone = state === null ? "none" : toneOfMonitor(state)
    const tall = state === "down" ? height : state === null ? lowest : heightOf(trend[hour] ?? null, most)
    const path = `M${hour * step} ${height - tall}h${bar}v${tall}h-${bar}z`
    paths.set(tone, `${paths.get(tone) ?? ""}${path}`)
  }
  return [...paths]
}

const hoursIn = (states: HoursProps["states"], wanted: HourState): string | null => {
  const hours = states.filter((state) => state === wanted).length
  return hours === 0 ? null : `${wanted} in ${hours} of them`
}

export const HourBars = ({ states, trend }: HoursProps) => {
  const { millis } = useNumber()
  const latencies = trend.filter((latency) => latency !== null)
  const said = [
    "The last 24 hours",
    states.every((state) => state === null) ? "not observed" : hoursIn(states, "down") ?? "never down",
    hoursIn(states, "degraded"),
    latencies.length === 0 ? null : `latency ${millis(Math.min(...latencies))} to ${millis(Math.max(...latencies))}`
  ].filter((part) => part !== null).join(", ")
  const width = (states.length - 1) * step + bar
  return (
    <svg class="hours" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={said} preserveAspectRatio="none">
      <title>{said}</title>
      {pathsOf({ states, trend }).map(([tone, path]) => <path class={`mark is-${tone}`} d={path} />)}
    </svg>
  )
}
