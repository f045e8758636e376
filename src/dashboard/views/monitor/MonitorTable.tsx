/** Monitors in a dense table, a line each: state, last day, uptime, latency and last check; with boxes for those who may change them. */
import type { ComponentChildren } from "preact"
import type { MonitorSort } from "../../../../schema/monitor/Monitor.ts"
import { lastCheckText } from "../../../domain/monitor/LastCheckText.ts"
import { BulkCheck, BulkCheckAll } from "../../design/BulkForm.tsx"
import { useMay } from "../../design/May.tsx"
import { MonitorBadge } from "../../design/Parts.tsx"
import { Ago, Since, useNumber } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { kindForms } from "./form/KindForms.ts"
import { HourBars } from "./HourBars.tsx"

export type ListedMonitor = AnswerOf<"list_monitors">["data"][number]

/** The form that the boxes belong to. */
export const bulkForm = "monitors"

/** Tags per row; the monitor's own view has all. */
const shownTags = 2

const addressOf = ({ host, kind, periodSec, port, schedule, url }: ListedMonitor): string =>
  url ??
    (host !== null
      ? `${host}${port === null ? "" : `:${port}`}`
      : kind === "heartbeat"
      ? schedule ?? `Every ${periodSec ?? 0} s`
      : "")

const Tags = ({ of }: { readonly of: ReadonlyArray<string> }) =>
  of.length === 0 ? null : (
    <span class="tags" title={of.join(", ")}>
      {of.slice(0, shownTags).map((tag) => (
        <a class="tag" href={`/app/monitors?${new URLSearchParams({ tag }).toString()}`}>{tag}</a>
      ))}
      {of.length > shownTags ? <span class="note">+{of.length - shownTags}</span> : null}
    </span>
  )

const LastCheck = ({ late, lastCheck, muted, state }: Pick<ListedMonitor, "late" | "lastCheck" | "muted" | "state">) => {
  const aside = [late === null ? null : "overdue", muted === null ? null : "muted"].filter((word) => word !== null).join(", ")
  if (lastCheck === null) return <span class="note">No check yet{aside === "" ? "" : `, ${aside}`}</span>
  const said = lastCheckText(state, lastCheck)
  return (
    <>
      {said === null ? null : <span class={lastCheck.outcome === "up" ? "muted" : "error"} title={said}>{said}</span>}
      <span class="note">
        <Ago at={lastCheck.at} />
        {aside === "" ? null : `, ${aside}`}
      </span>
    </>
  )
}

const rowOf = (monitor: ListedMonitor) => {
  const { channelIds, failureThreshold, id, intervalSec, name, paused, recoveryThreshold, regions, tags } = monitor
  return { id, name, paused, tags, channelIds, intervalSec, failureThreshold, recoveryThreshold, regions }
}

const Row = ({ mayEdit, monitor }: { readonly monitor: ListedMonitor; readonly mayEdit: boolean }) => {
  const { millis, percent } = useNumber()
  const { id, kind, lastCheck, late, muted, name, state, stateSince, states = [], tags, trend = [], uptime } = monitor
  const [day, month] = [uptime["24h"], uptime["30d"]]
  return (
    <tr id={`row-${id}`}>
      {mayEdit
        ? (
          <td class="box">
            <BulkCheck form={bulkForm} row={rowOf(monitor)} />
          </td>
        )
        : null}
      <td class="lead">
        <a class="title" href={`/app/monitors/${id}`} title={name}>{name}</a>
        <span class="note address" title={addressOf(monitor)}>{kindForms[kind].name} {addressOf(monitor)}</span>
        <Tags of={tags} />
      </td>
      <td class="state">
        <MonitorBadge state={state} />
        <span class="note">
          <Since at={stateSince} />
        </span>
      </td>
      <td class="day">
        <HourBars states={states} trend={trend} />
      </td>
      <td class="end num" title={month === null ? undefined : `Uptime of 30 days: ${percent(month.percent)}`}>
        {day === null ? "–" : percent(day.percent)}
      </td>
      <td class="end num">{millis(lastCheck?.latencyMs)}</td>
      <td class="last">
        <LastCheck late={late} lastCheck={lastCheck} muted={muted} state={state} />
      </td>
    </tr>
  )
}

/** The order of a column, with the address of the list in it. */
export interface Sorting {
  readonly sort: MonitorSort
  readonly addressOf: (sort: MonitorSort) => string
}

const SortHeading = ({ by, children, sorting: { addressOf: sorted, sort } }: {
  readonly by: MonitorSort
  readonly sorting: Sorting
  readonly children: ComponentChildren
}) => (
  <th scope="col" aria-sort={sort === by ? "ascending" : undefined}>
    <a href={sorted(sort === by ? "created" : by)}>
      {children}
      <span aria-hidden="true">{sort === by ? " ↑" : ""}</span>
    </a>
  </th>
)

export const MonitorTable = ({ monitors, sorting }: {
  readonly monitors: ReadonlyArray<ListedMonitor>
  readonly sorting: Sorting
}) => {
  const mayEdit = useMay("update_monitor")
  return (
    <div class="monitor-list">
      <table class="table monitors">
        <thead>
          <tr>
            {mayEdit
              ? (
                <th scope="col" class="box">
                  <BulkCheckAll />
                </th>
              )
              : null}
            <SortHeading by="name" sorting={sorting}>Monitor</SortHeading>
            <SortHeading by="state" sorting={sorting}>State</SortHeading>
            <th scope="col">Last 24 hours</th>
            <th scope="col" class="end">Uptime</th>
            <th scope="col" class="end">Latency</th>
            <th scope="col">Last check</th>
          </tr>
        </thead>
        <tbody>{monitors.map((monitor) => <Row monitor={monitor} mayEdit={mayEdit} />)}</tbody>
      </table>
    </div>
  )
}
