/** PagerDuty: schedules as its REST API v2 answers GET /schedules/{id}, and the users of GET /users for their addresses. */
import type { DateTime } from "effect"
import type { OnCallHours } from "../../../../schema/oncall/Rotation.ts"
import type { Notes } from "../Carry.ts"
import type { Inventory } from "../Inventory.ts"
import { type Loose, numberAt, recordOf, recordsOf, textAt, timeAt } from "../Loose.ts"
import { zoneNamed } from "../ZoneNames.ts"
import { pagerDutyPolicy } from "./PagerDutyPolicies.ts"
import { addressesOf, entriesAt, schedulesInventory } from "./Schedules.ts"
import { withPolicies } from "./SourcePolicy.ts"
import { everyDay, hoursOf, joinedHours, type SourceLayer, type SourceOverride } from "./SourceSchedule.ts"

type Addresses = ReadonlyMap<string, string>

const addressOf = (reference: Loose, addresses: Addresses): string | null =>
  textAt(reference, "email")?.toLowerCase() ?? addresses.get(textAt(reference, "id") ?? "") ?? null

/** Minutes since midnight of `08:00:00`. */
const minutesAt = (from: Loose, name: string): number | null => {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})/.exec(textAt(from, name) ?? "") ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

/** A restriction of days begins at a time of each; one of weeks also on a day, 1 for Monday. */
const restrictionHours = (restriction: Loose): ReadonlyArray<OnCallHours> | null => {
  const [start, seconds] = [minutesAt(restriction, "start_time_of_day"), numberAt(restriction, "duration_seconds")]
  if (start === null || seconds === null || seconds < 60) return null
  const day = numberAt(restriction, "start_day_of_week")
  const days = textAt(restriction, "type") === "weekly_restriction" ? day === null ? null : [(day + 6) % 7] : everyDay
  return days === null ? null : hoursOf(days, start, Math.min(Math.round(seconds / 60), days.length === 1 ? 10_080 : 1440))
}

const layerOf = (layer: Loose, addresses: Addresses, notes: Notes): ReadonlyArray<SourceLayer> => {
  const name = textAt(layer, "name")
  const users = recordsOf(layer["users"]).map((one) => addressOf(recordOf(one["user"] ?? one), addresses))
  const start = timeAt(layer, "rotation_virtual_start", "start")
  const restrictions = recordsOf(layer["restrictions"]).map(restrictionHours)
  const hours = restrictions.includes(null) ? null : joinedHours(restrictions.flatMap((one) => one ?? []))
  const lost = users.includes(null)
    ? "the document has no address of some of its users; add the answer of GET /users"
    : start === null
    ? "its start cannot be read"
    : hours === null
    ? "its restrictions cannot be read, or are too many"
    : null
  if (lost !== null || start === null || hours === null) {
    notes.say(`The layer ${name ?? "without a name"} is not carried: ${lost ?? ""}`)
    return []
  }
  return [{
    name,
    people: users.filter((one) => one !== null),
    atOnce: 1,
    turnSec: numberAt(layer, "rotation_turn_length_seconds") ?? 0,
    start,
    from: timeAt(layer, "start"),
    until: timeAt(layer, "end"),
    hours,
    beside: false
  }]
}

const overridesOf = (schedule: Loose, addresses: Addresses, notes: Notes): ReadonlyArray<SourceOverride> =>
  recordsOf(recordOf(schedule["overrides_subschedule"])["rendered_schedule_entries"]).flatMap((entry) => {
    const [start, end] = [timeAt(entry, "start"), timeAt(entry, "end")]
    const user = addressOf(recordOf(entry["user"]), addresses)
    if (start !== null && end !== null && user !== null) return [{ start, end, user }]
    notes.say("An override is not carried: its times or its user cannot be read")
    return []
  })

/** The API lists the layers from the highest to the lowest. */
export const pagerDutyInventory = (document: Loose, now: DateTime.Utc): Inventory => {
  const listed = entriesAt(document, "schedules", "schedule").map((one) => recordOf(one["schedule"] ?? one))
  const addresses = addressesOf(entriesAt(document, "users"))
  const schedules = schedulesInventory(listed, now, (schedule, notes) => {
    const timezone = zoneNamed(textAt(schedule, "time_zone") ?? "UTC")
    const layers = recordsOf(schedule["schedule_layers"])
    if (timezone === null) return "its time zone is not known"
    if (layers.length === 0) return "the document has no schedule_layers of it; use the answer of GET /schedules/{id}"
    return {
      timezone,
      layers: [...layers].reverse().flatMap((layer) => layerOf(layer, addresses, notes)),
      overrides: overridesOf(schedule, addresses, notes)
    }
  })
  const policies = entriesAt(document, "escalation_policies", "escalation_policy").map((one) =>
    recordOf(one["escalation_policy"] ?? one)
  )
  return withPolicies(
    schedules,
    policies,
    listed,
    (policy, known, notes) => pagerDutyPolicy(policy, known, (reference) => addressOf(reference, addresses), notes)
  )
}
