/** An event in one line: its text, its colour and where it leads. */
import { Option, Schema } from "effect"
import type { Event } from "../../../../schema/event/Event.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { inWords, type Tone } from "../../design/Parts.tsx"

const optionalText = Schema.optional(Schema.NullOr(Schema.String))

/** The fields that the data of events share. Monitors carry `_id`, other records `id`. */
const Subject = Schema.Struct({
  _id: optionalText,
  id: optionalText,
  name: optionalText,
  title: optionalText,
  version: optionalText,
  reason: optionalText
})
type Subject = typeof Subject.Type

/** Null, for example, for the incident of a monitor that has none. */
const subject = Schema.optional(Schema.NullOr(Subject))

const About = Schema.Struct({
  incident: subject,
  monitor: subject,
  component: subject,
  deploy: subject,
  mute: subject,
  channel: subject,
  page: subject,
  check: Schema.optional(Schema.NullOr(Schema.Struct({ error: optionalText }))),
  from: optionalText,
  to: optionalText
})
type About = typeof About.Type

const about = Schema.decodeUnknownOption(About)

const tones: Readonly<Record<string, Tone>> = {
  down: "bad",
  degraded: "warn",
  up: "good",
  recovered: "good",
  resolved: "good",
  completed: "good",
  operational: "good",
  partial_outage: "partial",
  major_outage: "bad",
  created: "calm",
  acknowledged: "calm",
  scheduled: "calm",
  escalated: "warn",
  reminder: "bad"
}

const folders = { incident: "incidents", monitor: "monitors", page: "pages", channel: "channels" } as const

interface EventLine {
  readonly text: string
  readonly tone: Tone
  readonly link: string | null
}

const linkTo = (noun: keyof typeof folders, { _id, id }: Subject): string | null => {
  const found = _id ?? id ?? null
  return found === null ? null : `/app/${folders[noun]}/${found}`
}

const inLower = (name: string): string => name.replaceAll("_", " ")

/** States that read as a sentence after a name. */
const states: Readonly<Record<string, string>> = {
  up: "is up",
  down: "is down",
  degraded: "is degraded",
  reminder: "is still down"
}

const monitorText = ({ check }: About, of: string, happened: string): string => {
  const name = isolated(of)
  const state = states[happened]
  const error = happened === "up" ? null : check?.error ?? null
  return state === undefined ? `${name}: ${inLower(happened)}` : `${name} ${state}${error === null ? "" : `: ${error}`}`
}

/** The event precedes the title, which may itself name a state. */
const incidentText = (noun: "Incident" | "Maintenance", { title }: Subject, happened: string): string => {
  const what = happened === "created" ? "opened" : happened === "unacknowledged" ? "no longer acknowledged" : inLower(happened)
  return title === undefined || title === null ? `${noun} ${what}` : `${noun} ${what}: ${title}`
}

type Line = Omit<EventLine, "tone">

/** The line by the noun of the event's type; null if the event's data lack the noun. */
const lines: Readonly<Record<string, (found: About, happened: string) => Line | null>> = {
  incident: ({ incident }, happened) =>
    incident
      ? { text: incidentText("Incident", incident, happened), link: linkTo("incident", incident) }
      : null,
  maintenance: ({ incident }, happened) =>
    incident
      ? { text: incidentText("Maintenance", incident, happened), link: linkTo("incident", incident) }
      : null,
  monitor: (found, happened) =>
    found.monitor
      ? { text: monitorText(found, found.monitor.name ?? "Monitor", happened), link: linkTo("monitor", found.monitor) }
      : null,
  component: ({ component, to }, happened) =>
    component ? { text: `${isolated(component.name ?? "Component")}: ${inLower(to ?? happened)}`, link: null } : null,
  mute: ({ mute }, happened) =>
    mute ? { text: `Mute ${happened}${mute.reason ? `: ${mute.reason}` : ""}`, link: "/app/maintenance#mutes" } : null,
  deploy: ({ deploy }) => deploy ? { text: `Deployed ${deploy.version ?? ""}`.trim(), link: null } : null,
  channel: ({ channel }, happened) =>
    channel ? { text: `Channel ${isolated(channel.name ?? "")}: ${inLower(happened)}`, link: linkTo("channel", channel) } : null,
  page: ({ page }, happened) =>
    page ? { text: `Page ${isolated(page.name ?? "")}: ${inLower(happened)}`, link: linkTo("page", page) } : null
}

/** The noun of the type first; other types use the first noun that they carry. */
const lineOf = (found: About, noun: string, happened: string): Line | null =>
  [noun, ...Object.keys(lines)].reduce<Line | null>((line, one) => line ?? lines[one]?.(found, happened) ?? null, null)

const eventLine = ({ data, type }: Event): EventLine => {
  const [noun = "", happened = ""] = type.split(".")
  const found = Option.getOrNull(about(data))
  const line = found === null ? null : lineOf(found, noun, happened)
  const tone = tones[(found?.component ? found.to : null) ?? happened] ?? "none"
  return { ...(line ?? { text: inWords(`${noun} ${happened}`), link: null }), tone }
}

/** Lines of events, newest first. Those that follow each other with the same text are one: a component on several pages. */
export const eventLines = (events: ReadonlyArray<Event>) => {
  const all: Array<EventLine & Pick<Event, "id" | "at"> & { count: number }> = []
  for (const event of events) {
    const line = eventLine(event)
    const last = all.at(-1)
    if (last !== undefined && last.text === line.text && last.link === line.link) last.count++
    else all.push({ ...line, id: event.id, at: event.at, count: 1 })
  }
  return all
}
