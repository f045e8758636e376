/** Groups of alerts that are sent together: which alerts wait, when their group is sent, and which of a monitor it shows. */
import { DateTime, Duration } from "effect"
import type { ChannelType } from "../../../schema/alert/Channel.ts"
import type { EventType } from "../../../schema/event/Event.ts"
import { keepsAlerts, typesThatAre } from "./PagingAlerts.ts"

/** The types whose channels group alerts unless their settings say otherwise. */
export const groupingTypes = typesThatAre("grouped")

export const groupsByDefault = (type: ChannelType): boolean => groupingTypes.includes(type)

/** Why a setting of `groupAlerts` is refused: an alert about several monitors could not be closed when one of them recovers. */
export const groupingProblems = (type: ChannelType, groupAlerts: boolean | undefined) =>
  groupAlerts === true && keepsAlerts(type)
    ? [{ path: "groupAlerts", message: `${type} channels track each alert by itself; leave groupAlerts out, or use false` }]
    : []

const grouped: ReadonlyArray<EventType> = ["monitor.down", "monitor.up", "monitor.degraded"]

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
  /** True if it stands for the beginning of flapping. */
  readonly flapping: boolean
}

/** The last alert of each monitor, oldest first. It stands for the beginning of flapping if one before it did: that is sent once. */
export const lastOfEach = <Alert extends Waiting>(alerts: ReadonlyArray<Alert>): ReadonlyArray<Alert> => {
  const last = new Map<string, Alert>()
  for (const alert of alerts) {
    const { flapping = false } = last.get(alert.monitorId) ?? {}
    last.delete(alert.monitorId)
    last.set(alert.monitorId, flapping ? { ...alert, flapping } : alert)
  }
  return [...last.values()]
}
