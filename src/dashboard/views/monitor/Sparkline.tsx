/** The latencies of the last 24 hours as a line, drawn by the server. */
import { useNumber } from "../../design/Time.tsx"

const width = 120
const height = 28
/** Margin for the stroke width. */
const edge = 2

type Trend = ReadonlyArray<number | null>

/** The line's path: an hour without a latency is a gap, and an hour between two gaps a short dash. */
const sparkPath = (trend: Trend): string => {
  const known = trend.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const step = trend.length < 2 ? 0 : (width - 2 * edge) / (trend.length - 1)
  const x = (index: number) => Math.round((edge + index * step) * 10) / 10
  const y = (value: number) =>
    Math.round((high === low ? height / 2 : height - edge - (value - low) / (high - low) * (height - 2 * edge)) * 10) / 10
  return trend.map((value, index) => {
    if (value === null) return ""
    const starts = (trend[index - 1] ?? null) === null
    const isAlone = starts && (trend[index + 1] ?? null) === null
    return `${starts ? "M" : "L"}${x(index)} ${y(value)}${isAlone ? "h2" : ""}`
  }).join("")
}

export const Sparkline = ({ trend }: { readonly trend: Trend }) => {
  const { millis } = useNumber()
  const known = trend.filter((value) => value !== null)
  if (known.length === 0) return <span class="note" aria-label="No latency in the last 24 hours">–</span>
  const said = `Hourly latency of the last 24 hours: ${millis(Math.min(...known))} to ${millis(Math.max(...known))}`
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={said} preserveAspectRatio="none">
      <title>{said}</title>
      <path d={sparkPath(trend)} vector-effect="non-scaling-stroke" />
    </svg>
  )
}
