/** The latencies of a monitor as a table: the figures of its chart. */
import { DateTime } from "effect"
import type { MonitorHistory } from "../../../../schema/check/MonitorHistory.ts"
import { Empty, Panel } from "../../design/Parts.tsx"
import { FigureTable, Scroll } from "../../design/Table.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import { read, together, view } from "../../frame/View.ts"
import { isRange, RangeLinks } from "./LatencyChart.tsx"
import { monitorHead } from "./MonitorHead.tsx"

const columns = ["From", "Region", "Median", "95th", "DNS", "Connect", "TLS", "First byte", "Rest", "Checks", "Failed"]

const Figures = ({ regions }: Pick<MonitorHistory, "regions">) => {
  const { count, millis } = useNumber()
  const rows = regions.flatMap(({ data, region }) => data.map((point) => ({ region, ...point })))
    .sort((one, other) => DateTime.toEpochMillis(other.at) - DateTime.toEpochMillis(one.at))
  return (
    <Scroll label="Latency figures">
      <FigureTable columns={columns} class="table num">
        {rows.map(({ at, checks, failures, p50, p95, phases, region }) => (
          <tr>
            <td>
              <Moment at={at} />
            </td>
            <td>{region}</td>
            <td>{millis(p50)}</td>
            <td>{millis(p95)}</td>
            <td>{millis(phases?.dnsMs)}</td>
            <td>{millis(phases?.connectMs)}</td>
            <td>{millis(phases?.tlsMs)}</td>
            <td>{millis(phases?.firstByteMs)}</td>
            <td>{millis(phases?.responseMs)}</td>
            <td>{count(checks)}</td>
            <td>{count(failures)}</td>
          </tr>
        ))}
      </FigureTable>
    </Scroll>
  )
}

export const figuresView = view("/app/monitors/:id/figures", "monitors", function*({ id, query }) {
  const asked = query.get("range")
  const range = isRange(asked) ? asked : "24h"
  const [monitor, { regions }] = yield* together([
    read("get_monitor", { id, checks: 0 }),
    read("get_monitor_history", { id, range })
  ])
  return {
    title: `Figures of ${monitor.name}`,
    head: monitorHead(monitor, `/app/monitors/${id}`),
    body: (
      <Panel id="figures" title="Latency" flush actions={<RangeLinks base={`/app/monitors/${id}/figures`} range={range} />}>
        {regions.length === 0
          ? <Empty title="No figures in this range" text="Choose a longer range, or wait for checks." />
          : <Figures regions={regions} />}
      </Panel>
    )
  }
})
