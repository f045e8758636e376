/** Plans the deliveries of new events: messages to send now, alerts for groups, and those that wait for the end of quiet hours. */
import { Array, type DateTime } from "effect"
import type { QuietHours } from "../../../schema/alert/QuietHours.ts"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { ChannelId, EventId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { beginsTrouble, canWait } from "./AlertGroup.ts"
import { alertMessage } from "./AlertMessage.ts"
import { type ChannelLinks, incidentOf, type Listener, monitorOf, receiversOf, stateBefore } from "./EventRouting.ts"
import type { Change } from "./Flapping.ts"
import {
  type AlertChange,
  alertStep,
  changedKey,
  closedBy,
  closesAlerts,
  keepsAlerts,
  type OpenAlerts,
  openKeyAt
} from "./PagingAlerts.ts"
import { waitsUntil } from "./QuietHours.ts"

export interface Receiver extends Listener {
  readonly workspaceId: WorkspaceId
  /** As text because a newer version may have written it. */
  readonly type: string
  readonly groups: boolean
  readonly quietHours: QuietHours | null
}

/** The facts that decide on deliveries. */
export interface RoutingFacts {
  /** The enabled channels of their workspaces. */
  readonly channels: ReadonlyArray<Receiver>
  readonly links: ChannelLinks
  /** The alerts at the channels of paging services. */
  readonly alerts: OpenAlerts
  /** By the database's clock. */
  readonly now: DateTime.Utc
}

export interface PlannedMessage {
  readonly event: WorkspaceEvent
  readonly type: string
  /** The change to the channels' alert; null unless they are of a paging service. */
  readonly alert: AlertChange | null
  readonly channelIds: Array.NonEmptyReadonlyArray<ChannelId>
}

/** A message as its channels receive it. */
export interface RenderedMessage extends PlannedMessage {
  readonly body: string
}

export interface ChannelChange extends Change {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly monitorId: MonitorId
  readonly eventId: EventId
  /** Whether it is the beginning of a trouble. */
  readonly begins: boolean
}

export interface QuietAlert {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly eventId: EventId
  /** A later alert about the same subject replaces it. */
  readonly subject: string
  readonly incidentId: IncidentId | null
  readonly title: string
  readonly url: string | null
  readonly until: DateTime.Utc
}

/** The deliveries of new events. */
export interface DeliveryPlan {
  readonly messages: ReadonlyArray<PlannedMessage>
  /** Alerts for the groups of their channels, oldest first. */
  readonly grouped: ReadonlyArray<ChannelChange>
  /** Alerts that wait for the end of quiet hours. */
  readonly quiet: ReadonlyArray<QuietAlert>
}

/** The messages of one event to channels of one type: at a paging service, one for each key of their alerts. */
export const messagesTo = (
  event: WorkspaceEvent,
  type: string,
  receivers: ReadonlyArray<Receiver>,
  alerts: OpenAlerts
): ReadonlyArray<PlannedMessage> => {
  if (!Array.isNonEmptyReadonlyArray(receivers)) return []
  if (!keepsAlerts(type)) return [{ event, type, alert: null, channelIds: Array.map(receivers, ({ id }) => id) }]
  const { about } = alertMessage(event, null)
  const reached = receivers.flatMap(({ id }) => {
    const alert = alertStep(event, about, openKeyAt(alerts, id))
    return alert._tag === "Nothing" ? [] : [{ id, alert }]
  })
  return Object.values(Array.groupBy(reached, ({ alert: { key, subject } }) => `${subject} ${key}`)).map((same) => ({
    event,
    type,
    alert: same[0].alert,
    channelIds: Array.map(same, ({ id }) => id)
  }))
}

/** The state that an alert that can wait reports. */
const stateAfter = (type: EventType): ChannelChange["state"] =>
  type === "monitor.up" ? "up" : type === "monitor.degraded" ? "degraded" : "down"

/** The alerts of one event for groups. */
const groupedFor = (event: WorkspaceEvent, receivers: ReadonlyArray<Receiver>): ReadonlyArray<ChannelChange> => {
  const monitorId = monitorOf(event)
  if (monitorId === null) return []
  const { at, id: eventId, type, workspaceId } = event
  const change = { workspaceId, eventId, monitorId, at, state: stateAfter(type), begins: beginsTrouble(type, stateBefore(event)) }
  return receivers.map(({ id: channelId }) => ({ ...change, channelId }))
}

const quietFor = (event: WorkspaceEvent, receivers: ReadonlyArray<Receiver>, now: DateTime.Utc): ReadonlyArray<QuietAlert> => {
  if (receivers.length === 0) return []
  const { about, link, title } = alertMessage(event, null)
  const { id: eventId, workspaceId } = event
  // The last alert about a subject replaces the others. A note opens nothing, so it replaces no alert that does.
  const subject = about.step === "noted" ? `${about.key} note` : about.key
  const alert = { workspaceId, eventId, subject, incidentId: incidentOf(event), title, url: link?.url ?? null }
  return receivers.flatMap(({ id: channelId, quietHours }) => {
    const until = waitsUntil(quietHours, event, now)
    return until === null ? [] : [{ ...alert, channelId, until }]
  })
}

/** The alerts of paging services while a batch is planned: an event may close what one before it opened. */
const trackAlerts = (alerts: OpenAlerts) => {
  const open = new Map([...alerts].map(([subject, keys]) => [subject, new Map(keys)]))
  return {
    open,
    closesAt: (event: WorkspaceEvent) => {
      if (open.size === 0 || !closesAlerts(event.type)) return () => false
      const { about } = alertMessage(event, null)
      return ({ id, type }: Receiver) => keepsAlerts(type) && closedBy(event, about, openKeyAt(open, id)) !== null
    },
    take: ({ alert, channelIds }: PlannedMessage): void => {
      const changed = changedKey(alert)
      if (changed === null) return
      const keys = open.get(changed.subject) ?? new Map<ChannelId, string | null>()
      open.set(changed.subject, keys)
      for (const id of channelIds) keys.set(id, changed.key)
    }
  }
}

/** Plans events, oldest first. Alerts wait in quiet hours, or join a group; closing an alert disturbs nobody, so it does not. */
export const planDeliveries = (events: ReadonlyArray<WorkspaceEvent>, { alerts, channels, links, now }: RoutingFacts) => {
  const known = new Map([...links].map(([key, ids]) => [key, new Set(ids)]))
  const tracked = trackAlerts(alerts)
  const plans = events.map((event): DeliveryPlan => {
    const closes = tracked.closesAt(event)
    const [quiet, awake] = Array.partition(
      receiversOf(event, channels, known, closes),
      (receiver) => closes(receiver) || waitsUntil(receiver.quietHours, event, now) === null
    )
    const [immediate, later] = Array.partition(awake, ({ groups }) => groups && canWait(event.type))
    // The acknowledgement may follow its alert in the same batch.
    const incidentId = incidentOf(event)
    if (incidentId !== null) known.set(incidentId, new Set([...known.get(incidentId) ?? [], ...immediate.map(({ id }) => id)]))
    const messages = Object.entries(Array.groupBy(immediate, ({ type }) => type)).flatMap(([type, same]) =>
      messagesTo(event, type, same, tracked.open)
    )
    messages.forEach(tracked.take)
    return { messages, grouped: groupedFor(event, later), quiet: quietFor(event, quiet, now) }
  })
  return {
    messages: plans.flatMap(({ messages }) => messages),
    grouped: plans.flatMap(({ grouped }) => grouped),
    quiet: plans.flatMap(({ quiet }) => quiet)
  }
}
