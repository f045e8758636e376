/**
 * Groups of alerts: the first alert of a channel leaves immediately and opens a group, what follows within a minute leaves together,
 * and what has ended within that minute is not sent.
 */
import { Array, DateTime, Duration } from "effect"
import type { ChannelType } from "../../../schema/alert/Channel.ts"
import type { EventType } from "../../../schema/event/Event.ts"
import type { ChannelId, MonitorId } from "../../../schema/Ids.ts"
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

/** Whether an alert that can wait reports the beginning of a trouble; false if the state before is unknown. */
export const beginsTrouble = (type: EventType, from: string | null): boolean =>
  type !== "monitor.up" && from !== null && from !== "down" && from !== "degraded"

/** How long a group lasts. */
export const groupTime = Duration.minutes(1)

interface Joining {
  readonly channelId: ChannelId
  readonly monitorId: MonitorId
  /** Whether it reports the beginning of a trouble. */
  readonly begins: boolean
}

/**
 * The groups in which alerts make something due now: new ones, and those whose opener's trouble goes on or ends. `openers` has the
 * groups that are open. Null stands for several openers.
 */
export const groupsDueNow = <Alert extends Joining>(
  alerts: ReadonlyArray<Alert>,
  openers: ReadonlyMap<ChannelId, MonitorId | null>
) =>
  Object.values(Array.groupBy(alerts, ({ channelId }) => channelId)).flatMap((joining) => {
    const [first, ...others] = joining
    const opener = openers.get(first.channelId)
    const isDue = opener === undefined || joining.some(({ begins, monitorId }) => monitorId === opener && !begins)
    const openedBy = others.every(({ monitorId }) => monitorId === first.monitorId) ? first.monitorId : null
    return isDue ? [{ first, openedBy }] : []
  })

interface OpenGroup {
  readonly openedAt: DateTime.Utc
  readonly openedBy: MonitorId | null
}

interface Waiting {
  readonly monitorId: MonitorId
  readonly type: EventType
  readonly from: string | null
  readonly at: DateTime.Utc
  /** True if it stands for the beginning of flapping. */
  readonly flapping: boolean
}

/** A trouble that began and ended within the time of a group. */
const isOver = (first: Waiting, last: Waiting): boolean =>
  beginsTrouble(first.type, first.from) && last.type === "monitor.up" &&
  Duration.lessThan(DateTime.distanceDuration(first.at, last.at), groupTime)

/**
 * The last alert of each monitor, oldest first, without troubles that are over. It stands for the beginning of flapping if one before
 * it did: that is sent once.
 */
export const lastOfEach = <Alert extends Waiting>(alerts: ReadonlyArray<Alert>): ReadonlyArray<Alert> => {
  const seen = new Map<string, { readonly first: Alert; readonly last: Alert }>()
  for (const alert of alerts) {
    const { first = alert, last } = seen.get(alert.monitorId) ?? {}
    seen.delete(alert.monitorId)
    seen.set(alert.monitorId, { first, last: last?.flapping === true ? { ...alert, flapping: true } : alert })
  }
  return [...seen.values()].flatMap(({ first, last }) => (!last.flapping && isOver(first, last) ? [] : [last]))
}

/**
 * The alerts of a group that leave at `now`, when it is due: before its time is over those that opened it, and what became of its
 * opener; then the rest, and the group ends. `waiting` is oldest first.
 */
export const leavingAt = <Alert extends Waiting>(
  { openedAt, openedBy }: OpenGroup,
  waiting: ReadonlyArray<Alert>,
  now: DateTime.Utc
) => {
  const endsAt = DateTime.addDuration(openedAt, groupTime)
  const ends = DateTime.greaterThanOrEqualTo(now, endsAt)
  const leaving = ends || openedBy === null ? waiting : waiting.filter(({ monitorId }) => monitorId === openedBy)
  return { leaving, messages: lastOfEach(leaving), dueAt: ends ? null : endsAt }
}
