/** Grafana OnCall: schedules, on-call shifts and users as its API answers GET /schedules, /on_call_shifts and /users. */
import { DateTime, Option } from "effect"
import type { OnCallHours } from "../../../../schema/oncall/Rotation.ts"
import { localDay, weekdayOf } from "../../tools/time/LocalTime.ts"
import type { Notes } from "../Carry.ts"
import type { Inventory } from "../Inventory.ts"
import { entryOf, listOf, type Loose, namesOf, numberAt, recordsOf, textAt } from "../Loose.ts"
import { zoneNamed } from "../ZoneNames.ts"
import { grafanaPolicy } from "./GrafanaPolicies.ts"
import { addressesOf, entriesAt, schedulesInventory } from "./Schedules.ts"
import { withPolicies } from "./SourcePolicy.ts"
import { everyDay, hoursOf, joinedHours, type SourceLayer, type SourceOverride } from "./SourceSchedule.ts"

const unitSec: Readonly<Record<string, number>> = { hourly: 3600, daily: 86_400, weekly: 604_800 }
const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
const [daySec, weekSec] = [86_400, 604_800]

/** A local time, `2026-09-10T08:00:00`, in a zone. */
const localAt = (text: string | null, timeZone: string): DateTime.Utc | null =>
  text === null ? null : Option.getOrNull(
    Option.flatMap(DateTime.make(`${text.replace(/Z$/, "")}Z`), (shown) =>
      Option.map(DateTime.makeZoned(DateTime.toPartsUtc(shown), { timeZone, adjustForTimeZone: true }), DateTime.toUtc))
  )

interface Reading {
  readonly timezone: string
  readonly addresses: ReadonlyMap<string, string>
}

/** People at a time are padded to the largest group with one of their own. */
const groupsOf = (shift: Loose, { addresses }: Reading) => {
  const rolling = listOf(shift["rolling_users"]).map(namesOf).filter((group) => group.length > 0)
  const groups = rolling.length > 0 ? rolling : [namesOf(shift["users"])]
  const first = numberAt(shift, "start_rotation_from_user_index") ?? 0
  const turned = [...groups.slice(first), ...groups.slice(0, first)]
  const atOnce = Math.max(1, ...turned.map((group) => group.length))
  const ids = turned.flatMap((group) =>
    Array.from({ length: group.length === 0 ? 0 : atOnce }, (_, at) => group[at] ?? group[0] ?? "")
  )
  const people = ids.map((id) => addresses.get(id) ?? null)
  return { atOnce, people: people.includes(null) ? null : people.filter((one) => one !== null), groups: groups.length }
}

/** The hours of a shift that repeats; none for all hours, null for what has no like. */
const hoursIn = (
  shift: Loose,
  start: DateTime.Utc,
  turnSec: number,
  groups: number,
  timezone: string
): ReadonlyArray<OnCallHours> | null => {
  const duration = numberAt(shift, "duration") ?? 0
  const days = namesOf(shift["by_day"]).map((day) => weekdays.indexOf(day.toUpperCase()))
  const { hours, minutes } = DateTime.toParts(DateTime.unsafeSetZoneNamed(start, timezone))
  const from = hours * 60 + minutes
  const length = Math.round(duration / 60)
  const frequency = textAt(shift, "frequency")
  if (days.includes(-1) || length < 1) return null
  if (days.length > 0) {
    return (frequency === "weekly" && turnSec === weekSec) || (groups === 1 && turnSec <= weekSec)
      ? joinedHours(hoursOf(days, from, Math.min(length, 1440)))
      : null
  }
  if (duration >= turnSec) return []
  if (turnSec === daySec) return hoursOf(everyDay, from, length)
  return turnSec === weekSec ? joinedHours(hoursOf([weekdayOf(localDay(start, timezone))], from, length)) : null
}

const layerOf = (shift: Loose, reading: Reading, notes: Notes): SourceLayer | null => {
  const name = textAt(shift, "name")
  const lose = (why: string): null => {
    notes.say(`The shift ${name ?? "without a name"} is not carried: ${why}`)
    return null
  }
  const { timezone } = reading
  const zone = textAt(shift, "time_zone")
  if (zone !== null && zoneNamed(zone) !== timezone) return lose("its time zone is not the schedule's")
  const unit = entryOf(unitSec, textAt(shift, "frequency") ?? "")
  if (unit === undefined) return lose("shifts repeat by hours, days or weeks here")
  const start = localAt(textAt(shift, "start"), timezone)
  if (start === null) return lose("its start cannot be read")
  const { atOnce, groups, people } = groupsOf(shift, reading)
  if (people === null) return lose("the document has no address of some of its users; add the answer of GET /users")
  const turnSec = unit * (numberAt(shift, "interval") ?? 1)
  const hours = hoursIn(shift, start, turnSec, groups, timezone)
  if (hours === null) return lose("its hours have no like here")
  const until = localAt(textAt(shift, "until"), timezone)
  return { name, people, atOnce, turnSec, start, from: start, until, hours, beside: false }
}

/**
 * Shifts of one priority are on call together, and replace those of lower ones. With something below, each comes once in the index of
 * it, and all but the last once more beside.
 */
const ordered = (levels: ReadonlyArray<ReadonlyArray<SourceLayer>>): ReadonlyArray<SourceLayer> =>
  levels.flatMap((layers, at) =>
    at === 0
      ? layers.map((layer, index) => ({ ...layer, beside: index > 0 }))
      : [...layers, ...layers.slice(0, -1).map((layer) => ({ ...layer, beside: true }))]
  )

const isRotation = (shift: Loose): boolean => ["rolling_users", "recurrent_event"].includes(textAt(shift, "type") ?? "")

/** A single event, and an override of a schedule made in the browser. */
const overridesOf = (shift: Loose, { addresses, timezone }: Reading, notes: Notes): ReadonlyArray<SourceOverride> => {
  const start = localAt(textAt(shift, "start"), timezone)
  const seconds = numberAt(shift, "duration")
  const users = namesOf(shift["users"])
  const [id, ...more] = users.length > 0 ? users : listOf(shift["rolling_users"]).flatMap(namesOf)
  const user = addresses.get(id ?? "")
  if (start === null || seconds === null || user === undefined || more.length > 0) {
    notes.say(
      `The event ${textAt(shift, "name") ?? "without a name"} is not carried: its time cannot be read, or it is not of one person`
    )
    return []
  }
  return [{ user, start, end: DateTime.add(start, { seconds }) }]
}

export const grafanaInventory = (document: Loose, now: DateTime.Utc): Inventory => {
  const addresses = addressesOf(entriesAt(document, "users"))
  const shifts = new Map(entriesAt(document, "on_call_shifts", "shifts").map((shift) => [textAt(shift, "id") ?? "", shift]))
  const listed = entriesAt(document, "schedules", "results")
  const schedules = schedulesInventory(listed, now, (schedule, notes) => {
    const timezone = zoneNamed(textAt(schedule, "time_zone") ?? "UTC")
    if (timezone === null) return "its time zone is not known"
    if (textAt(schedule, "type") === "ical") return "it is an iCalendar; take its text in by import_oncall_calendar"
    const own = recordsOf(namesOf(schedule["shifts"]).map((id) => shifts.get(id)))
    if (own.length === 0) {
      return "the document has none of its shifts; add the answer of GET /on_call_shifts as on_call_shifts"
    }
    const reading = { addresses, timezone }
    const levelOf = (shift: Loose) => numberAt(shift, "level") ?? 0
    const levels = [...new Set(own.filter(isRotation).map(levelOf))].sort((one, other) => one - other)
    return {
      timezone,
      layers: ordered(
        levels.map((level) =>
          own.filter((shift) => isRotation(shift) && levelOf(shift) === level).flatMap((shift) =>
            layerOf(shift, reading, notes) ?? []
          )
        ).filter((layers) => layers.length > 0)
      ),
      overrides: own.filter((shift) => !isRotation(shift)).flatMap((shift) => overridesOf(shift, reading, notes))
    }
  })
  const steps = entriesAt(document, "escalation_policies")
  return withPolicies(
    schedules,
    entriesAt(document, "escalation_chains"),
    listed,
    (chain, known, notes) => grafanaPolicy(chain, steps, known, addresses, notes)
  )
}
