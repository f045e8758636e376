/** Which series of maintenance windows can be followed. */
import { DateTime, Either, Option } from "effect"
import type { MaintenanceRecurrence } from "../../../schema/incident/Incident.ts"
import type { Refusal } from "../Refusal.ts"
import { nextStart, parseRule } from "./Recurrence.ts"

interface SeriesInput {
  readonly recurrence: typeof MaintenanceRecurrence.Type
  readonly scheduledStart: DateTime.Utc
  readonly scheduledEnd: DateTime.Utc
}

/** A rule that cannot be followed, and one by which a window would begin before the one before it has ended. */
export const seriesRefusals = ({ recurrence, scheduledEnd, scheduledStart }: SeriesInput): ReadonlyArray<Refusal> => {
  const zone = DateTime.zoneMakeNamed(recurrence.timezone ?? "UTC")
  if (Option.isNone(zone)) {
    return [{ path: "recurrence.timezone", message: "Expected an IANA time zone, such as Europe/Berlin" }]
  }
  return Either.match(parseRule(recurrence.rule), {
    onLeft: (message) => [{ path: "recurrence.rule", message }],
    onRight: (rule) => {
      const second = nextStart(rule, zone.value, scheduledStart, scheduledStart)
      return Option.isSome(second) && DateTime.lessThan(second.value, scheduledEnd)
        ? [{ path: "recurrence.rule", message: "The next window would begin before this one ends" }]
        : []
    }
  })
}
