/** A maintenance of Uptime Kuma as a maintenance window, which belongs to the status pages that announce it. */
import { DateTime, Duration, Either, Option } from "effect"
import { seriesRefusals } from "../../incident/MaintenanceClock.ts"
import { nextStart, parseRule } from "../../incident/Recurrence.ts"
import { dateOf, localDay, localTime } from "../../tools/time/LocalTime.ts"
import { cut, makeNotes, type Notes } from "../Carry.ts"
import type { FoundIncident } from "../Inventory.ts"
import { isOff, type Loose, textAt } from "../Loose.ts"
import { zoneNamed } from "../ZoneNames.ts"
import { type KumaSeries, kumaSeries } from "./KumaSeries.ts"

export interface KumaAnnouncement {
  readonly pageRefs: ReadonlyArray<string>
  /** The components of its monitors on these pages. */
  readonly componentRefs: ReadonlyArray<string>
  /** Its monitors that none of these pages shows. */
  readonly unshown: number
}

type Times = Pick<FoundIncident, "series"> & { readonly start: DateTime.Utc; readonly end: DateTime.Utc }

const serverZone = "SAME_AS_SERVER"

/** Before version 1.21.2 all times were in UTC, and there was no cron. */
const zoneOf = (notes: Notes, window: Loose, server: string | null): string => {
  const named = textAt(window, "timezone")
  if (named === null && textAt(window, "cron") === null) return "UTC"
  const given = named === null || named === serverZone ? server : named
  const zone = given === null ? null : zoneNamed(given)
  if (zone !== null) return zone
  notes.say("The file does not say in which time zone its times are; they are taken as UTC")
  return "UTC"
}

const localText = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?$/

/** A date and time of a zone; null for anything else. */
const instantAt = (window: Loose, name: string, zone: string): DateTime.Utc | null => {
  const [, date = "", hours, minutes] = localText.exec(textAt(window, name) ?? "") ?? []
  const day = Option.getOrNull(DateTime.make(`${date}T00:00:00Z`))
  if (day === null || Number(hours) > 23 || Number(minutes) > 59) return null
  return localTime(day.epochMillis / 86_400_000, Number(hours) * 60 + Number(minutes), zone)
}

const single = (window: Loose, zone: string): Either.Either<Times, string> => {
  const [start, end] = [instantAt(window, "start_date", zone), instantAt(window, "end_date", zone)]
  if (start === null || end === null) return Either.left("its times cannot be read")
  if (DateTime.lessThanOrEqualTo(end, start)) return Either.left("it ends before it begins")
  return Either.right({ start, end, series: null })
}

/** A time of the series, at most a few intervals before `after`. One that a clock change moves would move all that follow. */
const anchorOf = ({ interval, minutes }: KumaSeries, counted: number, after: DateTime.Utc, zone: string): DateTime.Utc => {
  const latest = counted + Math.floor((localDay(after, zone) - 1 - counted) / interval) * interval
  const tries = [latest, latest - interval, latest - 2 * interval].map((day) => localTime(day, minutes, zone))
  const isAsSaid = (at: DateTime.Utc) => {
    const clock = DateTime.toParts(DateTime.unsafeSetZoneNamed(at, zone))
    return clock.hours * 60 + clock.minutes === minutes
  }
  return tries.find(isAsSaid) ?? localTime(latest, minutes, zone)
}

/** The last day that Uptime Kuma takes, 9999-12-31, can be in the year 10000 in UTC. */
const untilOf = (end: DateTime.Utc | null): string =>
  end === null || DateTime.toPartsUtc(end).year > 9999
    ? ""
    : `;UNTIL=${DateTime.formatIso(end).replace(/\.\d+/, "").replace(/[-:]/g, "")}`

/** The window of a series that is not over, and how it goes on. */
const recurring = (
  notes: Notes,
  window: Loose,
  found: KumaSeries,
  zone: string,
  now: DateTime.Utc
): Either.Either<Times, string> => {
  const length = Duration.seconds(found.lengthSec)
  const [begin, end] = [instantAt(window, "start_date", zone), instantAt(window, "end_date", zone)]
  const unfinished = DateTime.subtractDuration(now, length)
  const after = begin === null ? unfinished : DateTime.max(unfinished, DateTime.subtract(begin, { millis: 1 }))
  const counted = localDay(instantAt(window, "last_start_date", "UTC") ?? begin ?? now, zone)
  const rule = `${found.rule}${untilOf(end)}`
  const firstStart = anchorOf(found, counted, after, zone)
  const next = Option.flatMap(
    Option.all([Either.getRight(parseRule(rule)), DateTime.zoneMakeNamed(zone)]),
    ([parsed, timeZone]) => nextStart(parsed, timeZone, firstStart, after)
  )
  if (Option.isNone(next)) return Either.left("it has ended")
  const times = { start: next.value, end: DateTime.addDuration(next.value, length) }
  const [refusal] = seriesRefusals({
    recurrence: { rule, timezone: zone },
    scheduledStart: times.start,
    scheduledEnd: times.end
  })
  if (refusal !== undefined) return Either.left("its next window begins before one ends")
  if (found.interval > 1) notes.say(`Every ${found.interval} days are counted from ${dateOf(counted)}`)
  return Either.right({ ...times, series: { rule, timezone: zone, firstStart } })
}

const timesOf = (notes: Notes, window: Loose, server: string | null, now: DateTime.Utc): Either.Either<Times, string> => {
  const strategy = textAt(window, "strategy") ?? "single"
  if (strategy === "manual") return Either.left("it goes on until somebody ends it, and windows here have an end")
  const zone = zoneOf(notes, window, server)
  if (strategy === "single") return single(window, zone)
  const found = kumaSeries(window)
  return found === null
    ? Either.left(`its strategy "${strategy}" is not known`)
    : Either.flatMap(found, (series) => recurring(notes, window, series, zone, now))
}

const progressOf = ({ end, start }: Times, now: DateTime.Utc) => {
  if (DateTime.lessThanOrEqualTo(end, now)) {
    return { status: "completed", resolvedAt: end, announced: { status: "in_progress", at: start } } as const
  }
  return DateTime.lessThanOrEqualTo(start, now)
    ? { status: "in_progress", resolvedAt: null, announced: { status: "in_progress", at: start } } as const
    : { status: "scheduled", resolvedAt: null, announced: { status: "scheduled", at: now } } as const
}

const mostComponents = 200

const sayOf = (notes: Notes, { componentRefs, unshown }: KumaAnnouncement): void => {
  if (componentRefs.length + unshown > 0) notes.say("Its monitors are still checked during it, and alert")
  if (unshown > 0) notes.say(`Its pages do not show ${unshown} of its monitors`)
  if (componentRefs.length > mostComponents) notes.say(`It shows on ${mostComponents} of its ${componentRefs.length} components`)
}

/** `server` is the time zone of the Uptime Kuma; null if unknown. The text says why a maintenance cannot be carried. */
export const kumaMaintenance = (
  window: Loose,
  announcement: KumaAnnouncement,
  server: string | null,
  now: DateTime.Utc
): Either.Either<FoundIncident, string> => {
  const notes = makeNotes()
  const { componentRefs, pageRefs } = announcement
  if (isOff(window, "active")) return Either.left("it is switched off")
  if (pageRefs.length === 0) return Either.left("no status page announces it, and a window here belongs to one")
  return Either.map(timesOf(notes, window, server, now), (times): FoundIncident => {
    const { announced, resolvedAt, status } = progressOf(times, now)
    const title = textAt(window, "title") ?? "Maintenance"
    const body = cut(notes, "The description", textAt(window, "description") ?? title, 10_000)
    if (resolvedAt === null) sayOf(notes, announcement)
    return {
      ref: `maintenance:${textAt(window, "id") ?? ""}`,
      kind: "maintenance",
      name: cut(notes, "The title", title, 200),
      notes: notes.all,
      pageRefs,
      status,
      impact: "none",
      startedAt: times.start,
      resolvedAt,
      scheduledStart: times.start,
      scheduledEnd: times.end,
      series: times.series,
      components: componentRefs.slice(0, mostComponents).map((ref) => ({ ref, status: "maintenance" as const })),
      updates: [{ ...announced, body }]
    }
  })
}
