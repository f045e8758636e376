/** The results of a monitor by region. */
import type { MonitorRegion } from "../../../../schema/check/RegionViews.ts"
import { clockNote } from "../../../domain/check/probe/ClockSkew.ts"
import { Badge, Empty, Panel } from "../../design/Parts.tsx"
import { type Columns, RecordTable } from "../../design/Table.tsx"
import { Ago, useNumber } from "../../design/Time.tsx"
import { read, together, view } from "../../frame/View.ts"
import { OutcomeBadge } from "./CheckRows.tsx"
import { eventsOf, monitorHead } from "./MonitorHead.tsx"

const Regions = ({ monitorId, of }: { readonly of: ReadonlyArray<MonitorRegion>; readonly monitorId: string }) => {
  const { count, duration, millis } = useNumber()
  const columns: Columns<MonitorRegion> = [
    { name: "Region", cell: ({ region }) => <b>{region}</b> },
    {
      name: "Probes",
      cell: ({ clockSkewMs, healthy, reason }) => (
        <>
          <Badge tone={healthy ? "good" : "warn"}>{healthy ? "Healthy" : reason ?? "Unhealthy"}</Badge>
          <ClockNote skewMs={clockSkewMs} />
        </>
      )
    },
    {
      name: "Last result",
      cell: ({ lastCheck, lateSec }) =>
        lastCheck === null ? "None" : (
          <span>
            <OutcomeBadge outcome={lastCheck.outcome} />{" "}
            <a href={`/app/monitors/${monitorId}/checks/${lastCheck.id}`}>
              <Ago at={lastCheck.at} />
            </a>
            {lateSec === null ? "" : `, ${duration(lateSec)} late`}
          </span>
        )
    },
    { name: "Median", class: "num", cell: ({ p50 }) => millis(p50) },
    { name: "95th percentile", class: "num", cell: ({ p95 }) => millis(p95) },
    {
      name: "Checks",
      class: "num",
      cell: ({ checks, uncounted }) => `${count(checks)}${uncounted === 0 ? "" : ` (+${count(uncounted)} not counted)`}`
    },
    { name: "Failed", class: "num", cell: ({ failures }) => count(failures) }
  ]
  return <RecordTable of={of} idOf={({ region }) => `region-${region}`} columns={columns} />
}

const ClockNote = ({ skewMs }: { readonly skewMs: MonitorRegion["clockSkewMs"] }) => {
  const note = clockNote(skewMs)
  return note === null ? null : (
    <span>
      {" "}
      <Badge tone="warn">{note}</Badge>
    </span>
  )
}

export const regionsView = view("/app/monitors/:id/regions", "monitors", function*({ id }) {
  const [monitor, { data }] = yield* together([
    read("get_monitor", { id, checks: 0 }),
    read("get_monitor_regions", { id, hours: 24 })
  ])
  return {
    title: `Regions of ${monitor.name}`,
    live: eventsOf(monitor),
    head: monitorHead(monitor, `/app/monitors/${id}/regions`),
    body: (
      <>
        <Panel id="regions" title="Last 24 hours" flush>
          {data.length === 0
            ? <Empty title="No region checks this monitor" text="Heartbeat monitors report by themselves." />
            : <Regions of={data} monitorId={id} />}
        </Panel>
        <p class="note">
          Healthy regions vote on the state of the monitor. Results of the others are kept but do not count.
        </p>
      </>
    )
  }
})
