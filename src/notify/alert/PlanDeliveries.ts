/** Plans the deliveries of new events and renders their bodies once, so that retries send the same bytes. */
import { Array, type DateTime } from "effect"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { ChannelId, IncidentId } from "../../../schema/Ids.ts"
import { canWait } from "../../domain/alert/AlertGroup.ts"
import { alertMessage } from "../../domain/alert/AlertMessage.ts"
import { acknowledgeable, incidentOf, monitorOf, receiversOf } from "../../domain/alert/EventRouting.ts"
import {
  type AlertChange,
  alertStep,
  closedBy,
  closesAlerts,
  keepsAlerts,
  type OpenAlerts,
  openKeyAt
} from "../../domain/alert/PagingAlerts.ts"
import { heldUntil } from "../../domain/alert/QuietHours.ts"
import type { ChannelChange } from "../../store/alert/AlertStreaks.ts"
import type { EventBatch } from "../../store/alert/FanOutChannels.ts"
import type { DeliveryPlan, PlannedMessage } from "../../store/alert/FanOutWrites.ts"
import type { QuietAlert } from "../../store/alert/QuietAlerts.ts"
import { renderFor } from "./channelKinds.ts"

/** The page on which the readers of a channel acknowledge an incident. */
export type AcknowledgeLink = (incidentId: IncidentId, channelId: ChannelId, event: WorkspaceEvent) => string

type Receiver = EventBatch["channels"][number]

/** Receivers of one type that get the same message: at a paging service, those whose alerts have the same key. */
interface Alike {
  readonly receivers: ReadonlyArray<Receiver>
  readonly alert: AlertChange | null
}

const alike = (
  event: WorkspaceEvent,
  type: string,
  receivers: ReadonlyArray<Receiver>,
  alerts: OpenAlerts
): ReadonlyArray<Alike> => {
  if (!keepsAlerts(type)) return [{ receivers, alert: null }]
  const { about } = alertMessage(event, null)
  const reached = receivers.flatMap((receiver) => {
    const alert = alertStep(event, about, openKeyAt(alerts, receiver.id))
    return alert._tag === "Nothing" ? [] : [{ receiver, alert }]
  })
  return Object.values(Array.groupBy(reached, ({ alert: { key, subject } }) => `${subject} ${key}`)).map((same) => ({
    receivers: same.map(({ receiver }) => receiver),
    alert: same[0].alert
  }))
}

/**
 * The messages of one event to channels of one type. An acknowledge link names its channel; otherwise they share one body. `alerts` has
 * those of paging services.
 */
export const messagesTo = (
  event: WorkspaceEvent,
  type: string,
  receivers: ReadonlyArray<Receiver>,
  linkOf: AcknowledgeLink,
  alerts: OpenAlerts
) => {
  const incidentId = acknowledgeable(event)
  return alike(event, type, receivers, alerts).flatMap(({ alert, receivers: same }) => {
    const shared = incidentId === null ? renderFor(type, event, null, alert?.key) : null
    const bodies = same.map(({ id }) => ({
      id,
      body: shared ?? renderFor(type, event, incidentId === null ? null : linkOf(incidentId, id, event), alert?.key)
    }))
    return Object.values(Array.groupBy(bodies, ({ body }) => body)).map((equal): PlannedMessage => ({
      workspaceId: event.workspaceId,
      eventId: event.id,
      incidentId: incidentOf(event),
      alert,
      body: equal[0].body,
      channelIds: equal.map(({ id }) => id)
    }))
  })
}

/** The state that an alert that can wait reports. */
const stateAfter = (type: EventType): ChannelChange["state"] =>
  type === "monitor.up" ? "up" : type === "monitor.degraded" ? "degraded" : "down"

/** The alerts of one event that wait for others. */
const heldFor = (event: WorkspaceEvent, receivers: ReadonlyArray<Receiver>): ReadonlyArray<ChannelChange> => {
  const monitorId = monitorOf(event)
  const { at, id: eventId, type, workspaceId } = event
  return monitorId === null
    ? []
    : receivers.map(({ id: channelId }) => ({ workspaceId, eventId, channelId, monitorId, at, state: stateAfter(type) }))
}

/** The alerts of one event that wait for the end of quiet hours. */
const quietFor = (event: WorkspaceEvent, receivers: ReadonlyArray<Receiver>, now: DateTime.Utc): ReadonlyArray<QuietAlert> => {
  if (receivers.length === 0) return []
  const { about, link, title } = alertMessage(event, null)
  const { id: eventId, workspaceId } = event
  // The last alert about a subject replaces the others. A note opens nothing, so it replaces no alert that does.
  const subject = about.step === "noted" ? `${about.key} note` : about.key
  const alert = { workspaceId, eventId, subject, incidentId: incidentOf(event), title, url: link?.url ?? null }
  return receivers.flatMap(({ id: channelId, quietHours }) => {
    const until = heldUntil(quietHours, event, now)
    return until === null ? [] : [{ ...alert, channelId, until }]
  })
}

/** The alerts of paging services while the events of a batch take their turns: an event may close what one before it opened. */
const trackAlerts = (alerts: OpenAlerts) => {
  const open = new Map([...alerts].map(([subject, keys]) => [subject, new Map(keys)]))
  return {
    open,
    /** Whether the event closes an alert of a channel. */
    closesAt: (event: WorkspaceEvent) => {
      if (open.size === 0 || !closesAlerts(event.type)) return () => false
      const { about } = alertMessage(event, null)
      return ({ id, type }: Receiver) => keepsAlerts(type) && closedBy(event, about, openKeyAt(open, id)) !== null
    },
    take: ({ alert, channelIds }: PlannedMessage): void => {
      if (alert === null || alert.subject === null || (alert._tag === "Tell" && !alert.opens)) return
      const keys = open.get(alert.subject) ?? new Map<ChannelId, string | null>()
      open.set(alert.subject, keys)
      for (const id of channelIds) keys.set(id, alert._tag === "Close" ? null : alert.key)
    }
  }
}

/**
 * Alerts wait in quiet hours, and those of channels that group them; closing an alert of a paging service disturbs nobody, so it
 * does not wait.
 */
export const planDeliveries =
  (linkOf: AcknowledgeLink) => ({ alerts, channels, events, links, now }: EventBatch): DeliveryPlan => {
    const known = new Map([...links].map(([key, ids]) => [key, new Set(ids)]))
    const tracked = trackAlerts(alerts)
    const plans = events.map((event): DeliveryPlan => {
      const closes = tracked.closesAt(event)
      const receivers = receiversOf(event, channels, known, closes)
      const [quiet, awake] = Array.partition(
        receivers,
        (receiver) => closes(receiver) || heldUntil(receiver.quietHours, event, now) === null
      )
      const waits = ({ groups }: Receiver) => groups && canWait(event.type)
      const [immediate, later] = Array.partition(awake, waits)
      // The acknowledgement may follow its alert in the same batch.
      const incidentId = incidentOf(event)
      if (incidentId !== null) known.set(incidentId, new Set([...known.get(incidentId) ?? [], ...immediate.map(({ id }) => id)]))
      const messages = Object.entries(Array.groupBy(immediate, ({ type }) => type)).flatMap(([type, same]) =>
        messagesTo(event, type, same, linkOf, tracked.open)
      )
      messages.forEach(tracked.take)
      return { messages, held: heldFor(event, later), quiet: quietFor(event, quiet, now) }
    })
    return {
      messages: plans.flatMap(({ messages }) => messages),
      held: plans.flatMap(({ held }) => held),
      quiet: plans.flatMap(({ quiet }) => quiet)
    }
  }
