/** The head of every view of one monitor: its name, state and tabs. */
import type { ComponentChildren } from "preact"
import { type HeadProps, MonitorBadge, type TabsProps, Tag } from "../../design/Parts.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"

export type MonitorDetail = AnswerOf<"get_monitor">

/** A monitor's URL, or its host and port. */
const targetOf = ({ host, kind, port, url }: MonitorDetail): string | null =>
  url ?? (host === null ? null : port === null || kind === "dns" ? host : `${host}:${port}`)

const tabsOf = ({ id, kind }: MonitorDetail): TabsProps["of"] => {
  const pushed = kind === "heartbeat"
  return [
    [`/app/monitors/${id}`, "Overview"],
    [`/app/monitors/${id}/checks`, pushed ? "Pings" : "Checks"],
    ...(pushed ? [[`/app/monitors/${id}/runs`, "Runs"] as const] : []),
    [`/app/monitors/${id}/uptime`, "Uptime"],
    ...(pushed ? [] : [[`/app/monitors/${id}/regions`, "Regions"] as const]),
    [`/app/monitors/${id}/explain`, pushed ? "Explain" : "Explain and simulate"],
    [`/app/monitors/${id}/edit`, "Settings", "update_monitor"]
  ]
}

/** The head of a view of the monitor; `here` is the path of its tab. */
export const monitorHead = (monitor: MonitorDetail, here: string, actions?: ComponentChildren): HeadProps => {
  const target = targetOf(monitor)
  return {
    title: monitor.name,
    crumbs: [["/app/monitors", "Monitors"]],
    note: (
      <>
        <MonitorBadge state={monitor.state} /> <Tag>{monitor.kind}</Tag>
        {target === null ? null : <span class="mono">{` ${target}`}</span>}
        {monitor.tags.map((tag) => (
          <>
            {" "}
            <Tag>{tag}</Tag>
          </>
        ))}
      </>
    ),
    actions,
    tabs: { label: "Monitor", here, of: tabsOf(monitor) }
  }
}

export const eventsOf = ({ id }: Pick<MonitorDetail, "id">): ReadonlyArray<string> => [
  `monitor.*:${id}`,
  `incident.*:${id}`,
  "mute.*"
]

/**
 * How often a view with the newest checks is read again, ms. Changes of the state are events and show immediately; frames of all checks
 * of a large workspace would be too many for a browser.
 */
export const pollOf = ({ state }: Pick<MonitorDetail, "state">): number => (state === "pending" ? 1000 : 15_000)
