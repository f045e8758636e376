/** Latency by region and by phase: a chart where there are scripts, and a table of the same figures for everyone. */
import { DateTime, Schema } from "effect"
import { ResponseTimeRange } from "../../../../schema/page/ResponseTimes.ts"
import { Island, Panel } from "../../design/Parts.tsx"
import { useVisit } from "../../frame/Visit.ts"
import type { MonitorDetail } from "./MonitorHead.tsx"
import type { OnAxis } from "./StateTimeline.tsx"

const seconds = (at: DateTime.Utc): number => Math.round(DateTime.toEpochMillis(at) / 1000)

export const isRange = Schema.is(ResponseTimeRange)

const ranges = [["24h", "24 hours"], ["7d", "7 days"], ["30d", "30 days"], ["90d", "90 days"]] as const

/** The island's data; times in seconds. */
const chartOf = ({ deploys, history, incidents }: OnAxis, zone: string) => ({
  from: seconds(history.from),
  to: seconds(history.to),
  bucketSec: history.bucketSec,
  zone,
  regions: history.regions.map(({ data, region }) => ({
    region,
    points: data.map(({ at, failures, p50, p95, phases }) => [
      seconds(at),
      p50,
      p95,
      failures,
      ...(phases === null
        ? [null, null, null, null, null]
        : [phases.dnsMs, phases.connectMs, phases.tlsMs, phases.firstByteMs, phases.responseMs])
    ])
  })),
  deploys: deploys.map(({ at, commit, version }) => [seconds(at), version ?? commit ?? "deploy"]),
  incidents: incidents.map(({ resolvedAt, startedAt }) => [
    seconds(startedAt),
    resolvedAt === null ? seconds(history.to) : seconds(resolvedAt)
  ])
})

export const RangeLinks = ({ base, range }: { readonly base: string; readonly range: string }) => (
  <nav class="segments" aria-label="Range">
    {ranges.map(([value, name]) => (
      <a href={`${base}?range=${value}`} aria-current={value === range ? "true" : undefined}>{name}</a>
    ))}
  </nav>
)

export const LatencyChart = ({ monitor: { id, kind }, ...axis }: OnAxis & {
  readonly monitor: Pick<MonitorDetail, "id" | "kind">
}) => {
  const { zone } = useVisit()
  const hasData = axis.history.regions.some(({ data }) => data.some(({ p50 }) => p50 !== null))
  return (
    <Panel id="latency" title={kind === "heartbeat" ? "Duration" : "Latency"}>
      {hasData
        ? (
          <>
            <Island name="chart" props={chartOf(axis, zone)}>
              <noscript>
                <p class="note">The chart needs JavaScript. The table has the same figures.</p>
              </noscript>
            </Island>
            <p class="note">
              <a href={`/app/monitors/${id}/figures?range=${axis.history.range}`}>Figures as a table</a>
            </p>
          </>
        )
        : kind === "heartbeat"
        ? (
          <p class="note">
            No ping in this range says how long the job took. Send durationMs with the ping, as the snippets below do.
          </p>
        )
        : <p class="note">No check with a latency in this range.</p>}
    </Panel>
  )
}
