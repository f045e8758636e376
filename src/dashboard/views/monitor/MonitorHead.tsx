/** The head of every view of one monitor: its name, state and tabs. */
import type { ComponentChildren } from "preact"
import { Head, MonitorBadge, Tabs, Tag } from "../../design/Parts.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"

export type MonitorDetail = AnswerOf<"get_monitor">

/** A monitor's URL, or its host and port. */
const targetOf = ({ host, kind, port, url }: MonitorDetail): string | null =>
  url ?? (host === null ? null : port === null || kind === "dns" ? host : `${host}:${port}`)

const tabsOf = ({ id, kind }: MonitorDetail): ReadonlyArray<readonly [string, string]> => {
  const pushed = kind === "heartbeat"
  return [
    [`/app/monitors/${id}`, "Overview"],
    [`/app/monitors/${id}/checks`, pushed ? "Pings" : "Checks"],
    ...(pushed ? [] : [[`/app/monitors/${id}/regions`, "Regions"] as const]),
    [`/app/monitors/${id}/explain`, "Explain and simulate"],
    [`/app/monitors/${id}/edit`, "Settings"]
  ]
}

export const MonitorHead = ({ actions, here, monitor }: {
  readonly monitor: MonitorDetail
  /** The path of the tab. */
  readonly here: string
  readonly actions?: ComponentChildren
}) => {
  const target = targetOf(monitor)
  return (
    <>
      <Head
        title={monitor.name}
        crumbs={[["/app/monitors", "Monitors"]]}
        note={
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
        }
      >
        {actions}
      </Head>
      <Tabs label="Monitor" here={here} of={tabsOf(monitor)} />
    </>
  )
}

/** The events after which a view of the monitor reloads. */
export const eventsOf = ({ id }: Pick<MonitorDetail, "id">): ReadonlyArray<string> => [
  `monitor.*:${id}`,
  `incident.*:${id}`
]

/**
 * How often a view with the newest checks is read again, ms. Changes of the state are events and show immediately; frames of all checks
 * of a large workspace would be too many for a browser.
 */
export const pollOf = ({ state }: Pick<MonitorDetail, "state">): number => (state === "pending" ? 1000 : 15_000)
