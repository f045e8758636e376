/** Alerts that are sent together: when a group is sent, and what it says of each monitor. */
import { DateTime, Duration } from "effect"
import type { ChannelType } from "../../../schema/alert/Channel.ts"
import type { EventType } from "../../../schema/event/Event.ts"
import { keepsAlerts } from "./PagingAlerts.ts"

/** Paging services track each alert by itself, and programs that receive webhooks do their own grouping. */
const groups = {
  email: true,
  webhook: false,
  slack: true,
  discord: true,
  telegram: true,
  teams: true,
  pagerduty: false,
  opsgenie: false,
  ntfy: true
} as const satisfies Record<ChannelType, boolean>

/** Whether a channel of a type groups alerts unless its settings say otherwise. */
export const groupsByDefault = (type: ChannelType): boolean => groups[type]

/** The types that group by default. */
export const groupingTypes: ReadonlyArray<string> = Object.entries(groups).flatMap(([type, does]) => (does ? [type] : []))

/** Why a setting of `groupAlerts` is refused: an alert about several monitors could not be closed when one of them recovers. */
export const groupingProblems = (type: ChannelType, groupAlerts: boolean | undefined) =>
  groupAlerts === true && keepsAlerts(type)
    ? [{ path: "groupAlerts", message: `${type} channels track each alert by itself; leave groupAlerts out, or use false` }]
    : []

const grouped: ReadonlyArray<EventType> = ["monitor.down", "monitor.up", "monitor.degraded"]

/** Whether an event can wait for others. */
export const canWait = (type: EventType): boolean => grouped.includes(type)

/** A group is sent after so long without another alert: a single failure waits no longer. */
export const quietTime = Duration.seconds(10)

/** A group is sent after so long in any case. */
export const longestWait = Duration.minutes(1)

/** When a group is sent that was opened at `openedAt` and has just received an alert. */
export const groupDueAt = (openedAt: DateTime.Utc, now: DateTime.Utc): DateTime.Utc =>
  DateTime.min(DateTime.addDuration(openedAt, longestWait), DateTime.addDuration(now, quietTime))

interface Waiting {
  readonly monitorId: string
  /** Whether it stands for the beginning of flapping. */
  readonly flapping: boolean
}

/**
 * The last alert of each monitor, oldest first: what has recovered meanwhile is not reported as down. It stands for the beginning
 * of flapping if one before it did, because the channel hears of that only once.
 */
export const lastOfEach = <Alert extends Waiting>(alerts: ReadonlyArray<Alert>): ReadonlyArray<Alert> => {
  const last = new Map<string, Alert>()
  for (const alert of alerts) {
    const { flapping = false } = last.get(alert.monitorId) ?? {}
    last.delete(alert.monitorId)
    last.set(alert.monitorId, flapping ? { ...alert, flapping } : alert)
  }
  return [...last.values()]
}
