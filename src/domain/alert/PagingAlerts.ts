/** Alerts at paging services, which stay open until they are closed: the effect of an event on the alert of a channel, and its key. */
import { Data } from "effect"
import type { ChannelType } from "../../../schema/alert/Channel.ts"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import type { ChannelId, IncidentId, MonitorId } from "../../../schema/Ids.ts"
import type { AlertMessage } from "./AlertMessage.ts"
import { incidentOf, monitorOf } from "./EventRouting.ts"

/**
 * How each type treats alerts by default. `kept`: a paging service keeps each open under a key; another message under the key pages
 * nobody again. `single`: programs that receive webhooks do their own grouping.
 */
const treatment = {
  email: "grouped",
  webhook: "single",
  slack: "grouped",
  discord: "grouped",
  telegram: "grouped",
  teams: "grouped",
  pagerduty: "kept",
  opsgenie: "kept",
  ntfy: "grouped"
} as const satisfies Record<ChannelType, "grouped" | "kept" | "single">

export const typesThatAre = (wanted: "grouped" | "kept"): ReadonlyArray<string> =>
  Object.entries(treatment).flatMap(([type, own]) => (own === wanted ? [type] : []))

const pagingTypes = typesThatAre("kept")

export const keepsAlerts = (type: string): boolean => pagingTypes.includes(type)

/** An incident, or a monitor in trouble without one, such as one that is degraded. */
export type AlertSubject = IncidentId | MonitorId

/** The key under which the alert about a subject is open: null if none is, undefined if the channel never had one about it. */
type OpenKey = (subject: AlertSubject) => string | null | undefined

/** The alerts at channels of paging services: the key of each open alert, null for one that is closed. */
export type OpenAlerts = ReadonlyMap<AlertSubject, ReadonlyMap<ChannelId, string | null>>

export const openKeyAt = (alerts: OpenAlerts, channelId: ChannelId): OpenKey => (subject) => alerts.get(subject)?.get(channelId)

/** The effect of an event at one channel. */
export type AlertStep = Data.TaggedEnum<{
  /** Sends a message about `subject`; `opens` if the alert is open after it. */
  Announce: { readonly key: string; readonly subject: AlertSubject | null; readonly opens: boolean }
  Close: { readonly key: string; readonly subject: AlertSubject }
  /** The end of an alert that was never opened, or is already closed. */
  Nothing: object
}>
export const AlertStep = Data.taggedEnum<AlertStep>()

/** The effect of a message at its channels. */
export type AlertChange = Exclude<AlertStep, { readonly _tag: "Nothing" }>

/** The alert that a message opens, with its key, or closes; null if it does neither. */
export const changedKey = (alert: AlertChange | null): { readonly subject: AlertSubject; readonly key: string | null } | null => {
  if (alert === null || alert.subject === null || (alert._tag === "Announce" && !alert.opens)) return null
  return { subject: alert.subject, key: alert._tag === "Close" ? null : alert.key }
}

/** Flapping covers several incidents of a monitor, so none of them is its subject. */
const subjectOf = (event: WorkspaceEvent): AlertSubject | null =>
  (event.type === "monitor.flapping" ? null : incidentOf(event)) ?? monitorOf(event)

type About = AlertMessage["about"]

/** The key of a new alert. Each incident has its own, so that a late retry or a forgotten alert does not affect the next outage. */
export const newKey = (event: WorkspaceEvent, about: About): string => {
  const incidentId = event.type === "monitor.flapping" ? null : incidentOf(event)
  return incidentId === null ? about.key : `incident ${incidentId}`
}

/** A recovery ends what its monitor had before the outage, such as being degraded; the end of the incident, which follows, the rest. */
const endings: Partial<Record<EventType, (event: WorkspaceEvent) => ReadonlyArray<AlertSubject | null>>> = {
  "monitor.up": (event) => [monitorOf(event), incidentOf(event)],
  "monitor.flapping": (event) => [monitorOf(event)],
  "incident.resolved": (event) => [incidentOf(event)]
}

/** True for events that can close alerts at channels that they would not reach otherwise. */
export const closesAlerts = (type: EventType): boolean => endings[type] !== undefined

const subjectsEndedBy = (event: WorkspaceEvent, { step }: About): ReadonlyArray<AlertSubject> =>
  step === "ends" ? (endings[event.type]?.(event) ?? []).flatMap((subject) => subject ?? []) : []

export const closedBy = (event: WorkspaceEvent, about: About, openKey: OpenKey) => {
  for (const subject of subjectsEndedBy(event, about)) {
    const key = openKey(subject) ?? null
    if (key !== null) return { subject, key }
  }
  return null
}

/** The effect of an event at a channel that it reaches. */
export const alertStep = (event: WorkspaceEvent, about: About, openKey: OpenKey): AlertStep => {
  const closed = closedBy(event, about, openKey)
  if (closed !== null) return AlertStep.Close(closed)
  const [ended, ...others] = subjectsEndedBy(event, about)
  if (ended !== undefined) {
    // The row of a monitor without an incident goes after a while, though its alert may still be open.
    return others.length === 0 && ended === monitorOf(event) && openKey(ended) === undefined
      ? AlertStep.Close({ subject: ended, key: about.key })
      : AlertStep.Nothing()
  }
  const subject = subjectOf(event)
  return AlertStep.Announce({
    subject,
    key: (subject === null ? null : openKey(subject)) ?? newKey(event, about),
    opens: subject !== null && (about.step === "begins" || about.step === "continues")
  })
}
