/** Reads the events of an iCalendar text (RFC 5545) leniently: what it cannot read of an event is its problem, not the text's. */
import { DateTime, Duration, Either, Option } from "effect"
import { zoneNamed } from "../import/ZoneNames.ts"
import { parseRule, startsAfter } from "../incident/Recurrence.ts"
import { storable } from "../tools/text/Storable.ts"

/** A time in which somebody is said to be on call. */
interface CalendarEvent {
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
  readonly summary: string
  /** Addresses of the attendees, in lower case. */
  readonly attendees: ReadonlyArray<string>
}

interface UnreadEvent {
  readonly summary: string
  readonly reason: string
}

interface ReadCalendar {
  readonly events: ReadonlyArray<CalendarEvent>
  readonly unread: ReadonlyArray<UnreadEvent>
}

/** A line as `NAME;PARAM=VALUE:VALUE`. */
interface Property {
  readonly params: ReadonlyMap<string, string>
  readonly value: string
}

type Component = ReadonlyMap<string, ReadonlyArray<Property>>

/** Events of a text, those that come again, and the times of one. Each day since its first start costs, so it is not too old. */
const mostEvents = 2000
const mostSeries = 50
const mostTimes = 200
const oldestSeries = Duration.days(3660)

const propertyOf = (line: string): readonly [name: string, property: Property] | null => {
  const found = /^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:]*))*):(.*)$/s.exec(line)
  if (found === null) return null
  const [, name = "", params = "", value = ""] = found
  const pairs = params.split(";").filter((one) => one.includes("=")).map((one) => {
    const [key = "", ...rest] = one.split("=")
    return [key.toUpperCase(), rest.join("=").replaceAll("\"", "")] as const
  })
  return [name.toUpperCase(), { params: new Map(pairs), value }]
}

/** The properties of each event. Alarms within one are left out. */
const eventsIn = (text: string): ReadonlyArray<Component> => {
  const events: Array<Component> = []
  let event: Map<string, Array<Property>> | null = null
  let depth = 0
  for (const line of text.replace(/\r?\n[ \t]/g, "").split(/\r?\n/)) {
    const [name = "", property = null] = propertyOf(line) ?? []
    if (property === null) continue
    const what = property.value.trim().toUpperCase()
    if (event === null) {
      if (name === "BEGIN" && what === "VEVENT") event = new Map()
      continue
    }
    if (name === "BEGIN") depth++
    else if (name === "END" && depth > 0) depth--
    else if (name === "END") {
      if (events.length < mostEvents) events.push(event)
      event = null
    } else if (depth === 0) event.set(name, [...event.get(name) ?? [], property])
  }
  return events
}

const unescaped = (text: string): string =>
  text.replace(/\\([\\;,nN])/g, (_, char: string) => (char === "n" || char === "N" ? " " : char))

/** An instant, and whether it is a whole day. A time without a zone is one of `timezone`. */
const timeOf = ({ params, value }: Property, timezone: string) => {
  const found = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/.exec(value.trim())
  if (found === null) return null
  const [, year, month, day, hours = "00", minutes = "00", seconds = "00", utc] = found
  const iso = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.000Z`
  const shown = Option.getOrNull(DateTime.make(iso))
  if (shown === null || DateTime.formatIso(shown) !== iso) return null
  const isDay = found[4] === undefined
  const named = params.get("TZID")
  const zone = utc !== undefined ? "UTC" : named === undefined ? timezone : zoneNamed(named)
  if (zone === null) return null
  const at = DateTime.makeZoned(DateTime.toPartsUtc(shown), { timeZone: zone, adjustForTimeZone: true })
  return Option.getOrNull(Option.map(at, (zoned) => ({ at: DateTime.toUtc(zoned), zone, isDay })))
}

const durationOf = (text: string): Duration.Duration | null => {
  const found = /^\+?P(?:(\d{1,3})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$/.exec(text.trim())
  if (found === null) return null
  const [weeks, days, hours, minutes, seconds] = found.slice(1).map((one) => Number(one ?? 0))
  return Duration.seconds((((weeks ?? 0) * 7 + (days ?? 0)) * 24 + (hours ?? 0)) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0))
}

interface Range {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

type Starts = Either.Either<ReadonlyArray<DateTime.Utc>, string>

/** When an event begins that comes again, up to the end of the range. */
const startsOf = (rule: string, zone: string, first: DateTime.Utc, { from, to }: Range, lasts: Duration.Duration): Starts => {
  if (DateTime.lessThan(DateTime.addDuration(first, oldestSeries), from)) return Either.left("It began more than ten years ago")
  return Either.map(parseRule(rule), (parsed) => {
    const starts = [first]
    const after = DateTime.max(first, DateTime.subtractDuration(from, lasts))
    for (const start of startsAfter(parsed, DateTime.zoneUnsafeMakeNamed(zone), first, after)) {
      if (starts.length >= mostTimes || DateTime.greaterThanOrEqualTo(start, to)) break
      starts.push(start)
    }
    return starts
  })
}

const firstOf = (event: Component, name: string): Property | undefined => event.get(name)?.[0]

const summaryOf = (event: Component): string => storable(unescaped(firstOf(event, "SUMMARY")?.value ?? "").slice(0, 200).trim())

const readEvent = (event: Component, timezone: string, range: Range): Either.Either<ReadonlyArray<CalendarEvent>, string> => {
  const begin = firstOf(event, "DTSTART")
  const start = begin === undefined ? null : timeOf(begin, timezone)
  if (start === null) return Either.left("Its start, or the time zone of it, cannot be read")
  const given = firstOf(event, "DTEND")
  const end = given === undefined ? null : timeOf(given, timezone)
  const stated = durationOf(firstOf(event, "DURATION")?.value ?? "")
  const lasts = end !== null
    ? DateTime.distanceDuration(start.at, end.at)
    : stated ?? (start.isDay ? Duration.days(1) : null)
  if (lasts === null || (end !== null && DateTime.lessThanOrEqualTo(end.at, start.at))) return Either.left("It has no end")
  const left = new Set(
    (event.get("EXDATE") ?? []).flatMap((property) =>
      property.value.split(",").flatMap((value) => timeOf({ ...property, value }, timezone)?.at.epochMillis ?? [])
    )
  )
  const rule = firstOf(event, "RRULE")?.value
  const starts: Starts = rule === undefined ? Either.right([start.at]) : startsOf(rule, start.zone, start.at, range, lasts)
  const attendees = (event.get("ATTENDEE") ?? []).flatMap(({ value }) =>
    /^mailto:(.+)$/i.exec(value.trim())?.[1]?.toLowerCase() ?? []
  )
  return Either.map(starts, (all) =>
    all.filter((at) => !left.has(at.epochMillis)).map((at) => ({
      start: at,
      end: DateTime.addDuration(at, lasts),
      summary: summaryOf(event),
      attendees
    })))
}

const isCancelled = (event: Component): boolean => firstOf(event, "STATUS")?.value.trim().toUpperCase() === "CANCELLED"

/** The times of one series that an event of their own replaces, by the id of the series. */
const replacedIn = (events: ReadonlyArray<Component>, timezone: string): ReadonlySet<string> =>
  new Set(events.flatMap((event) => {
    const replaced = firstOf(event, "RECURRENCE-ID")
    const at = replaced === undefined ? null : timeOf(replaced, timezone)
    return at === null ? [] : [`${firstOf(event, "UID")?.value ?? ""} ${at.at.epochMillis}`]
  }))

/** The events of a text. A time without a zone is one of `timezone`; series are read up to the end of the range. Null for other texts. */
export const readCalendar = (text: string, timezone: string, range: Range): ReadCalendar | null => {
  if (!/^\uFEFF?BEGIN:VCALENDAR/i.test(text.trimStart())) return null
  const found = eventsIn(text)
  const replaced = replacedIn(found, timezone)
  const events: Array<CalendarEvent> = []
  const unread: Array<UnreadEvent> = []
  let series = 0
  for (const event of found) {
    if (isCancelled(event)) continue
    if (event.has("RRULE")) series++
    const read = series > mostSeries && event.has("RRULE")
      ? Either.left(`The text has more than ${mostSeries} events that come again`)
      : readEvent(event, timezone, range)
    if (Either.isLeft(read)) unread.push({ summary: summaryOf(event), reason: read.left })
    else {
      const id = firstOf(event, "UID")?.value ?? ""
      const isSeries = event.has("RRULE")
      events.push(...read.right.filter(({ start }) => !isSeries || !replaced.has(`${id} ${start.epochMillis}`)))
    }
  }
  return { events, unread }
}

interface Member {
  readonly id: string
  readonly name: string | null
  readonly email: string
}

/** The member whom an event names: by the address of an attendee, else by address or whole name in its summary. Null for none or several. */
export const namedIn = <M extends Member>({ attendees, summary }: CalendarEvent, members: ReadonlyArray<M>): M | null => {
  const said = summary.toLowerCase()
  const words = ` ${said.replace(/[^\p{L}\p{N}@.+_'-]+/gu, " ")} `
  const invited = members.filter(({ email }) => attendees.includes(email.toLowerCase()))
  const addressed = invited.length > 0 ? invited : members.filter(({ email }) => words.includes(` ${email.toLowerCase()} `))
  const found = addressed.length > 0
    ? addressed
    : members.filter(({ name }) => name !== null && name.trim() !== "" && words.includes(` ${name.trim().toLowerCase()} `))
  return found.length === 1 ? found[0] ?? null : null
}
