/** The results of a monitor by region. */
import { Effect } from "effect"
import type { MonitorRegion } from "../../../../schema/check/MonitorRegion.ts"
import { clockNote } from "../../../domain/check/probe/ClockSkew.ts"
import { Badge, Empty, inWords, Panel } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Ago, durationText, useNumber } from "../../design/Time.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"
import { outcomeTones } from "./CheckRows.tsx"
import { eventsOf, MonitorHead } from "./MonitorHead.tsx"

const Row = ({ monitorId, of }: { readonly of: MonitorRegion; readonly monitorId: string }) => {
  const { count, millis } = useNumber()
  const { locale } = useVisit()
  const { checks, clockSkewMs, failures, healthy, lastCheck, lateSec, p50, p95, reason, region, uncounted } = of
  const note = clockNote(clockSkewMs)
  return (
    <tr id={`region-${region}`}>
      <td class="lead">
        <b>{region}</b>
      </td>
      <td data-label="Probes">
        <Badge tone={healthy ? "good" : "warn"}>{healthy ? "Healthy" : reason ?? "Unhealthy"}</Badge>
        {note === null ? "" : (
          <span>
            {" "}
            <Badge tone="warn">{note}</Badge>
          </span>
        )}
      </td>
      <td data-label="Last result">
        {lastCheck === null ? "None" : (
          <span>
            <Badge tone={outcomeTones[lastCheck.outcome]}>{inWords(lastCheck.outcome)}</Badge>{" "}
            <a href={`/app/monitors/${monitorId}/checks/${lastCheck.id}`}>
              <Ago at={lastCheck.at} />
            </a>
            {lateSec === null ? "" : `, ${durationText(locale, `${lateSec} seconds`)} late`}
          </span>
        )}
      </td>
      <td data-label="Median" class="num">{p50 === null ? "–" : millis(p50)}</td>
      <td data-label="95th percentile" class="num">{p95 === null ? "–" : millis(p95)}</td>
      <td data-label="Checks" class="num">
        {count(checks)}
        {uncounted === 0 ? "" : ` (+${count(uncounted)} not counted)`}
      </td>
      <td data-label="Failed" class="num">{count(failures)}</td>
    </tr>
  )
}

export const regionsView = view(
  "/app/monitors/:id/regions",
  "monitors",
  Effect.gen(function*() {
    const { params } = yield* Visit
    const id = params["id"] ?? ""
    const [monitor, { data }] = yield* Effect.all(
      [read("get_monitor", { id, checks: 0 }), read("get_monitor_regions", { id, hours: 24 })],
      together
    )
    return {
      title: `Regions of ${monitor.name}`,
      live: eventsOf(monitor),
      body: (
        <>
          <MonitorHead monitor={monitor} here={`/app/monitors/${id}/regions`} />
          <Panel id="regions" title="Last 24 hours" flush>
            {data.length === 0
              ? <Empty title="No region checks this monitor" text="Heartbeat monitors report by themselves." />
              : (
                <Table columns={["Region", "Probes", "Last result", "Median", "95th percentile", "Checks", "Failed"]}>
                  {data.map((of) => <Row of={of} monitorId={id} />)}
                </Table>
              )}
          </Panel>
          <p class="note">
            The state of the monitor is the vote of its healthy regions. Results of unhealthy ones are kept but do not count.
          </p>
        </>
      )
    }
  })
)
