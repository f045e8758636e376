/** Opsgenie: schedules as its API answers GET /v2/schedules?expand=rotation. Everyone of all rotations of a schedule is on call. */
import type { DateTime } from "effect"
import type { OnCallHours } from "../../../../schema/oncall/Rotation.ts"
import type { Notes } from "../Carry.ts"
import type { Inventory } from "../Inventory.ts"
import { entryOf, isOff, type Loose, numberAt, recordOf, recordsOf, textAt, timeAt } from "../Loose.ts"
import { zoneNamed } from "../ZoneNames.ts"
import { opsgeniePolicy } from "./OpsgeniePolicies.ts"
import { addressesOf, entriesAt, schedulesInventory } from "./Schedules.ts"
import { withPolicies } from "./SourcePolicy.ts"
import { everyDay, hoursOf, joinedHours, type SourceLayer, type SourceOverride } from "./SourceSchedule.ts"

const unitSec: Readonly<Record<string, number>> = { hourly: 3600, daily: 86_400, weekly: 604_800 }
const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

type Addresses = ReadonlyMap<string, string>

/** A user's name is an address. */
const addressOf = (user: Loose, addresses: Addresses): string | null => {
  const named = textAt(user, "username", "name") ?? ""
  return addresses.get(textAt(user, "id") ?? "") ?? (named.includes("@") ? named.toLowerCase() : null)
}

const minutesAt = (from: Loose, side: "start" | "end"): number =>
  (numberAt(from, `${side}Hour`) ?? 0) * 60 + (numberAt(from, `${side}Min`) ?? 0)

/** The hours of a restriction; none for all hours, null for one that cannot be read. */
const hoursIn = (restriction: Loose): ReadonlyArray<OnCallHours> | null => {
  const type = textAt(restriction, "type")
  if (type === null) return []
  if (type === "time-of-day") {
    const given = recordOf(restriction["restriction"])
    const [start, end] = [minutesAt(given, "start"), minutesAt(given, "end")]
    return hoursOf(everyDay, start, end > start ? end - start : end - start + 1440)
  }
  if (type !== "weekday-and-time-of-day") return null
  const all = recordsOf(restriction["restrictions"]).map((one) => {
    const [from, to] = [textAt(one, "startDay"), textAt(one, "endDay")].map((day) => weekdays.indexOf(day?.toLowerCase() ?? ""))
    if (from === undefined || to === undefined || from < 0 || to < 0) return null
    const [start, end] = [from * 1440 + minutesAt(one, "start"), to * 1440 + minutesAt(one, "end")]
    return hoursOf([from], minutesAt(one, "start"), end > start ? end - start : end - start + 10_080)
  })
  return all.includes(null) ? null : joinedHours(all.flatMap((one) => one ?? []))
}

const layerOf = (rotation: Loose, at: number, addresses: Addresses, notes: Notes): ReadonlyArray<SourceLayer> => {
  const name = textAt(rotation, "name")
  const people = recordsOf(rotation["participants"]).map((one) => addressOf(one, addresses))
  const start = timeAt(rotation, "startDate")
  const hours = hoursIn(recordOf(rotation["timeRestriction"]))
  const unit = entryOf(unitSec, textAt(rotation, "type") ?? "")
  const lost = people.includes(null)
    ? "teams, escalations and nobody have no turns here"
    : start === null || unit === undefined
    ? "its start or type cannot be read"
    : hours === null
    ? "its restriction cannot be read, or has too many parts"
    : null
  if (lost !== null || start === null || hours === null || unit === undefined) {
    notes.say(`The rotation ${name ?? "without a name"} is not carried: ${lost ?? ""}`)
    return []
  }
  return [{
    name,
    people: people.filter((one) => one !== null),
    atOnce: 1,
    turnSec: unit * (numberAt(rotation, "length") ?? 1),
    start,
    from: start,
    until: timeAt(rotation, "endDate"),
    hours,
    beside: at > 0
  }]
}

const overridesOf = (schedule: Loose, addresses: Addresses, notes: Notes): ReadonlyArray<SourceOverride> =>
  recordsOf(schedule["overrides"]).flatMap((entry) => {
    const [start, end] = [timeAt(entry, "startDate"), timeAt(entry, "endDate")]
    const user = addressOf(recordOf(entry["user"]), addresses)
    if (recordsOf(entry["rotations"]).length > 0) notes.say("An override of single rotations is one of all here")
    if (start !== null && end !== null && user !== null) return [{ start, end, user }]
    notes.say("An override is not carried: its times or its user cannot be read")
    return []
  })

export const opsgenieInventory = (document: Loose, now: DateTime.Utc): Inventory => {
  const addresses = addressesOf(entriesAt(document, "users"))
  const listed = entriesAt(document, "schedules", "data")
  const schedules = schedulesInventory(listed, now, (schedule, notes) => {
    const timezone = zoneNamed(textAt(schedule, "timezone") ?? "UTC")
    const rotations = recordsOf(schedule["rotations"])
    if (timezone === null) return "its time zone is not known"
    if (isOff(schedule, "enabled")) return "it is disabled"
    if (rotations.length === 0) return "the document has no rotations of it; use the answer of GET /v2/schedules?expand=rotation"
    return {
      timezone,
      layers: rotations.flatMap((rotation, at) => layerOf(rotation, at, addresses, notes)),
      overrides: overridesOf(schedule, addresses, notes)
    }
  })
  return withPolicies(
    schedules,
    entriesAt(document, "escalations"),
    listed,
    (escalation, known, notes) => opsgeniePolicy(escalation, known, (user) => addressOf(user, addresses), notes)
  )
}
