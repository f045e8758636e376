/** An event as one short message for people: what chat services, mails and paging services show, each in its own format. */
import { DateTime, Either } from "effect"
import type { EventCheck } from "../../../schema/check/Check.ts"
import type { EventType, WorkspaceEvent } from "../../../schema/event/Event.ts"
import { decodeEventData, type EventData } from "../../../schema/event/EventData.ts"
import type { EventMonitor } from "../../../schema/event/MonitorEvents.ts"
import type { Incident, IncidentUpdate } from "../../../schema/incident/Incident.ts"
import { briefCause } from "../check/answer/BriefCause.ts"
import { counted } from "../tools/text/Counted.ts"
import { isolated } from "../tools/text/Direction.ts"
import { durationText } from "../tools/time/Duration.ts"
import { momentText } from "../tools/time/Moments.ts"
import { checkFacts, fact, targetOf, titleCase, upstreamFacts } from "./AlertFacts.ts"
import { reportText, withReport } from "./AlertReport.ts"
import { acknowledgeable } from "./EventRouting.ts"
import { muteEnded, muteStarted } from "./MuteMessage.ts"
import { listed, summaryText, summaryTitle, summaryTone } from "./SummaryMessage.ts"

/** How bad the news is; decides colors, symbols and priorities. */
export type Tone = "down" | "degraded" | "good" | "notice"

export interface AlertMessage {
  readonly tone: Tone
  /** One line. */
  readonly title: string
  /** Perhaps of several lines; empty if the title says all. */
  readonly text: string
  /** True if a person wrote the text, as Markdown. */
  readonly isMarkdown?: boolean
  /** Sentences of the service below the text. */
  readonly notes?: ReadonlyArray<string>
  readonly facts: ReadonlyArray<{ readonly label: string; readonly value: string }>
  readonly link: { readonly label: string; readonly url: string } | null
  /** The page on which a subscriber changes or ends the subscription. */
  readonly manage?: { readonly label: string; readonly url: string }
  readonly at: DateTime.Utc
  /** The incident that its reader can answer by buttons. */
  readonly incidentId?: string
  /** The subject, and whether it begins, goes on or ends, by which paging services open and close alerts; `noted` opens none. */
  readonly about: { readonly key: string; readonly step: "begins" | "continues" | "noted" | "acknowledged" | "ends" }
}

type Message = Omit<AlertMessage, "at" | "incidentId">

const aboutMonitor = ({ _id }: EventMonitor) => `monitor ${_id}`

/** `Checkout API is down: 503 Service Unavailable`. */
const withCause = (title: string, check: Pick<EventCheck, "cause" | "statusCode">): string => {
  const cause = briefCause(check)
  return cause === null ? title : `${title}: ${cause}`
}

const openMonitor = ({ url }: EventMonitor) => ({ label: "Open monitor", url })

const openIncident = ({ url }: { readonly url: string }) => ({ label: "Open incident", url })

/** The incident, or the monitor that opened it, whose alert the channel may have had. */
const aboutIncident = ({ id, monitorId }: Incident) => (monitorId === null ? `incident ${id}` : `monitor ${monitorId}`)

const ofIncident = (
  { incident, update }: { readonly incident: Incident; readonly update: IncidentUpdate },
  tone: Tone,
  step: AlertMessage["about"]["step"]
): Message => ({
  tone,
  title: incident.title,
  text: update.body,
  isMarkdown: true,
  facts: [
    ...fact("Status", titleCase(incident.status)),
    ...fact("Impact", titleCase(incident.impact)),
    ...upstreamFacts(incident)
  ],
  link: incident.kind === "maintenance" ? { label: "Open maintenance", url: incident.url } : openIncident(incident),
  about: { key: aboutIncident(incident), step }
})

const toneOf = ({ impact }: Incident): Tone => (impact === "none" || impact === "minor" ? "degraded" : "down")

const window = ({ incident, update }: EventData<"maintenance.scheduled">): Message => ({
  ...ofIncident({ incident, update }, "notice", incident.status === "completed" ? "ends" : "continues"),
  title: `Maintenance: ${isolated(incident.title)}`,
  facts: [
    ...fact("Status", titleCase(incident.status)),
    ...fact("Starts", incident.scheduledStart === null ? null : momentText(incident.scheduledStart, "UTC")),
    ...fact("Ends", incident.scheduledEnd === null ? null : momentText(incident.scheduledEnd, "UTC"))
  ]
})

const plain = (key: string, title: string, text = "", step: AlertMessage["about"]["step"] = "continues"): Message => ({
  tone: "notice",
  title,
  text,
  facts: [],
  link: null,
  about: { key, step }
})

const analyzed = ({ ai, incident, phase }: EventData<"incident.analyzed">): Message => {
  const title = `${isolated(incident.title)}: AI report on the ${phase === "opening" ? "outage" : "recovery"}`
  return {
    // The report on a recovery comes after the end.
    ...plain(aboutIncident(incident), title, reportText(ai), "noted"),
    facts: [...fact("Severity", titleCase(ai.severity)), ...upstreamFacts(incident)],
    link: openIncident(incident)
  }
}

const summary = (data: EventData<"monitor.summary">): Message => ({
  ...plain(`channel ${data.channel.id}`, summaryTitle(data), summaryText(data)),
  tone: summaryTone(data),
  link: data.url === undefined ? null : { label: "Open monitors", url: data.url }
})

const quietEnded = ({ alerts, channel, count, url }: EventData<"quiet.ended">): Message => ({
  ...plain(
    `channel ${channel.id}`,
    `${counted(count, "alert")} from the quiet hours`,
    listed(count, alerts.map(({ title }) => title)).join("\n")
  ),
  link: url === undefined ? null : { label: "Open overview", url }
})

const flaps = ({ flapping, incident, monitor }: EventData<"monitor.flapping">): Message => {
  const { state } = monitor
  return {
    tone: state === "down" ? "down" : flapping || state === "degraded" ? "degraded" : "good",
    title: flapping ? `${isolated(monitor.name)} is flapping` : `${isolated(monitor.name)} no longer flaps; it is ${state}`,
    text: flapping
      ? "It has failed three times within 30 minutes. Its alerts wait until it has been stable for 15 minutes."
      : "It has not changed for 15 minutes.",
    facts: [...fact("State", titleCase(state)), ...fact("Target", targetOf(monitor))],
    link: incident === null ? openMonitor(monitor) : openIncident(incident),
    about: { key: aboutMonitor(monitor), step: flapping || state !== "up" ? "begins" : "ends" }
  }
}

const messages: { readonly [Type in EventType]: (data: EventData<Type>) => Message } = {
  "monitor.down": ({ ai, check, incident, monitor }) => ({
    tone: "down",
    title: withCause(`${isolated(monitor.name)} is down`, check),
    text: withReport(check.error ?? "", ai),
    facts: [...upstreamFacts(incident), ...checkFacts({ check, monitor })],
    link: openIncident(incident),
    about: { key: aboutMonitor(monitor), step: "begins" }
  }),
  "monitor.up": ({ ai, check, downtimeSeconds, incident, monitor }) => ({
    tone: "good",
    title: `${isolated(monitor.name)} is up again`,
    text: withReport(downtimeSeconds > 0 ? `It was down for ${durationText(downtimeSeconds)}.` : "", ai),
    facts: checkFacts({ check, monitor }),
    link: incident === null ? openMonitor(monitor) : openIncident(incident),
    about: { key: aboutMonitor(monitor), step: "ends" }
  }),
  "monitor.degraded": ({ check, monitor }) => ({
    tone: "degraded",
    title: withCause(`${isolated(monitor.name)} is degraded`, check),
    text: check.error ?? "",
    facts: checkFacts({ check, monitor }),
    link: openMonitor(monitor),
    about: { key: aboutMonitor(monitor), step: "begins" }
  }),
  "monitor.reminder": ({ downForMinutes, monitor }) => ({
    tone: "down",
    title: `${isolated(monitor.name)} is still down`,
    text: `It has been down for ${durationText(downForMinutes * 60)}, and no one has acknowledged it.`,
    facts: fact("Target", targetOf(monitor)),
    link: openMonitor(monitor),
    about: { key: aboutMonitor(monitor), step: "continues" }
  }),
  "monitor.summary": summary,
  "monitor.flapping": flaps,
  "quiet.ended": quietEnded,
  "incident.created": (data) => ofIncident(data, toneOf(data.incident), "begins"),
  // A note on an outage that nobody was paged about must page nobody, nor must a note after the end.
  "incident.updated": (data) =>
    ofIncident(
      data,
      toneOf(data.incident),
      data.incident.automatic || data.incident.resolvedAt !== null ? "noted" : "continues"
    ),
  "incident.resolved": (data) => {
    const message = ofIncident(data, "good", "ends")
    return { ...message, title: `Resolved: ${isolated(message.title)}`, facts: fact("Duration", data.durationText) }
  },
  "maintenance.scheduled": window,
  "maintenance.started": window,
  "maintenance.updated": window,
  "maintenance.completed": window,
  "incident.acknowledged": ({ ack, incident }) => ({
    ...plain(
      aboutIncident(incident),
      `${isolated(incident.title)}: acknowledged by ${isolated(ack.by)}`,
      ack.note ?? "",
      "acknowledged"
    ),
    link: openIncident(incident)
  }),
  "incident.analyzed": analyzed,
  "incident.unacknowledged": ({ by, incident }) =>
    plain(`incident ${incident.id}`, `${isolated(incident.title)}: acknowledgement removed by ${isolated(by)}`),
  "incident.escalated": ({ incident, level, levels, monitor, notified, policy, unacknowledgedForMinutes }) => ({
    tone: toneOf(incident),
    title: `${isolated(incident.title)} (escalated to level ${level} of ${levels})`,
    text: unacknowledgedForMinutes === 0
      ? "No one has acknowledged it yet."
      : `No one has acknowledged it for ${durationText(unacknowledgedForMinutes * 60)}.`,
    facts: [
      ...fact("Policy", policy.name),
      // One fact: services keep one of each label.
      ...fact(
        "Not paged",
        (notified.unreached ?? []).map(({ email, name, reason }) => `${isolated(name ?? email)}: ${reason}`).join("; ")
      )
    ],
    link: openIncident(incident),
    about: { key: monitor === undefined ? `incident ${incident.id}` : aboutMonitor(monitor), step: "begins" }
  }),
  "incident.paged": ({ incident, monitor, unacknowledgedForMinutes }) => ({
    tone: toneOf(incident),
    title: incident.title,
    text: unacknowledgedForMinutes === 0
      ? `Since ${momentText(incident.startedAt, "UTC")}. You are paged about it.`
      : `Since ${momentText(incident.startedAt, "UTC")}. No one has acknowledged it for ${
        durationText(unacknowledgedForMinutes * 60)
      }.`,
    facts: [],
    link: openIncident(incident),
    about: { key: monitor === undefined ? `incident ${incident.id}` : aboutMonitor(monitor), step: "begins" }
  }),
  "component.status_changed": ({ component, from, to }) => ({
    tone: to === "operational" ? "good" : to === "major_outage" || to === "partial_outage" ? "down" : "degraded",
    title: `${isolated(component.name)}: ${titleCase(to)}`,
    text: component.statusMessage ?? "",
    facts: fact("Before", titleCase(from)),
    link: null,
    about: { key: `component ${component.id}`, step: to === "operational" ? "ends" : "begins" }
  }),
  "monitor.created": ({ monitor }) => plain(aboutMonitor(monitor), `Monitor ${isolated(monitor.name)} was created`),
  "monitor.deleted": ({ monitor }) => plain(`monitor ${monitor._id}`, `Monitor ${isolated(monitor.name)} was deleted`),
  "mute.started": ({ mute }) => plain(`mute ${mute.id}`, ...muteStarted(mute)),
  "mute.ended": ({ mute }) => plain(`mute ${mute.id}`, ...muteEnded(mute)),
  "deploy.created": ({ deploy }) => ({
    ...plain(
      `deploy ${deploy.id}`,
      ["Deployed", deploy.service ?? "", deploy.version ?? deploy.commit ?? ""].filter(Boolean).join(" ")
    ),
    text: deploy.description ?? "",
    facts: [...fact("Environment", deploy.environment), ...fact("Commit", deploy.commit)],
    link: deploy.url === null ? null : { label: "Open deploy", url: deploy.url }
  }),
  "digest.weekly": ({ ai, focus, period, summary, workspace }) =>
    plain(
      `digest ${DateTime.formatIso(period.to)}`,
      `Weekly digest: ${isolated(workspace.name)}`,
      [summary, ...(ai === null ? [] : [ai]), ...focus].join("\n")
    ),
  "test.ping": ({ channel, message }) => plain(`channel ${channel.id}`, "Test from Belltower", message)
}

const messageOf = <Type extends EventType>(type: Type, data: unknown): Either.Either<Message, unknown> =>
  Either.map(decodeEventData(type, data), messages[type])

/** Shows at least its type: another version may have recorded the event in another shape, and its alert must not be lost. */
const unreadable = (type: EventType): Message => plain(type, `Event ${type}`)

/** The time stands in news of a trouble, because the last attempt at a delivery comes hours later. */
const dated = (message: Message, at: DateTime.Utc): Message =>
  message.tone === "notice" ? message : { ...message, facts: [...fact("Time", momentText(at, "UTC")), ...message.facts] }

/** `acknowledge` is the page on which the reader acknowledges the incident; it shows the incident too. Null for other events. */
export const alertMessage = (event: WorkspaceEvent, acknowledge: string | null): AlertMessage => {
  const { at, data, type } = event
  const message = dated(Either.getOrElse(messageOf(type, data), () => unreadable(type)), at)
  if (acknowledge === null) return { at, ...message }
  const incidentId = acknowledgeable(event)
  return {
    at,
    ...message,
    link: { label: "Acknowledge", url: acknowledge },
    ...(incidentId === null ? {} : { incidentId })
  }
}
