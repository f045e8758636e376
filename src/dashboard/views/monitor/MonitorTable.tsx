/** Monitors in a table: state, uptime, latency and the last error; with boxes for those who may change them. */
import { lastCheckText } from "../../../domain/monitor/LastCheckText.ts"
import { BulkCheck, BulkCheckAll } from "../../design/BulkForm.tsx"
import { useMay } from "../../design/Form.tsx"
import { MonitorBadge, Tag } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Ago, Since, useNumber } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { kindForms } from "./form/KindForms.ts"

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

const Sparkline = ({ trend }: { readonly trend: Trend }) => {
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

export type ListedMonitor = AnswerOf<"list_monitors">["data"][number]

/** The form that the boxes belong to. */
export const bulkForm = "monitors"

/** Tags per row; the monitor's own view has all. */
const shownTags = 4

const addressOf = ({ host, kind, periodSec, port, url }: ListedMonitor): string =>
  url ?? (host !== null ? `${host}${port === null ? "" : `:${port}`}` : kind === "heartbeat" ? `Every ${periodSec ?? 0} s` : "")

const Uptime = ({ of }: { readonly of: ListedMonitor["uptime"] }) => {
  const { percent } = useNumber()
  const [day, month] = [of["24h"], of["30d"]]
  return (
    <span class="num">
      {day === null ? "–" : percent(day.percent)}
      {month === null ? null : <span class="note block">30 d: {percent(month.percent)}</span>}
    </span>
  )
}

const LastCheck = ({ late, lastCheck, state }: Pick<ListedMonitor, "late" | "lastCheck" | "state">) => {
  if (lastCheck === null) return <span class="note">No check yet</span>
  const said = lastCheckText(state, lastCheck)
  return (
    <span class="last">
      {said === null
        ? <span class="muted">OK</span>
        : <span class={`${lastCheck.outcome === "up" ? "muted" : "error"} breaks`} title={said}>{said}</span>}
      <span class="note block">
        <Ago at={lastCheck.at} />
        {late === null ? null : ", overdue"}
      </span>
    </span>
  )
}

const Row = ({ mayEdit, monitor }: { readonly monitor: ListedMonitor; readonly mayEdit: boolean }) => {
  const { millis } = useNumber()
  const { channelIds, id, kind, lastCheck, late, muted, name, paused, state, stateSince, tags, trend = [], uptime } = monitor
  return (
    <tr id={`row-${id}`}>
      {mayEdit
        ? (
          <td class="box">
            <BulkCheck form={bulkForm} row={{ id, name, paused, tags, channelIds }} />
          </td>
        )
        : null}
      <td class="lead">
        <a class="title" href={`/app/monitors/${id}`}>{name}</a>
        <span class="note block address" title={addressOf(monitor)}>
          {kindForms[kind].name} {addressOf(monitor)}
        </span>
        {tags.length === 0 ? null : (
          <span class="tags">
            {tags.slice(0, shownTags).map((tag) => <Tag>{tag}</Tag>)}
            {tags.length > shownTags ? <span class="note">+{tags.length - shownTags}</span> : null}
          </span>
        )}
      </td>
      <td data-label="State">
        <span>
          <MonitorBadge state={state} />
          <span class="note block">
            <Since at={stateSince} />
            {muted === null ? null : ", muted"}
          </span>
        </span>
      </td>
      <td data-label="Uptime, 24 h" class="end">
        <Uptime of={uptime} />
      </td>
      <td data-label="Latency, 24 h">
        <span class="latency">
          <Sparkline trend={trend} />
          <span class="note num">{lastCheck?.latencyMs === null || lastCheck === null ? "" : millis(lastCheck.latencyMs)}</span>
        </span>
      </td>
      <td data-label="Last check" class="named">
        <LastCheck late={late} lastCheck={lastCheck} state={state} />
      </td>
    </tr>
  )
}

export const MonitorTable = ({ monitors }: { readonly monitors: ReadonlyArray<ListedMonitor> }) => {
  const mayEdit = useMay("update_monitor")
  return (
    <Table
      columns={["Monitor", "State", { name: "Uptime, 24 h", end: true }, "Latency, 24 h", "Last check"]}
      class="table monitors"
      room="many"
      first={mayEdit
        ? (
          <th scope="col" class="box">
            <BulkCheckAll />
          </th>
        )
        : null}
    >
      {monitors.map((monitor) => <Row monitor={monitor} mayEdit={mayEdit} />)}
    </Table>
  )
}
