/** Opsgenie: escalations as its API answers GET /v2/escalations. */
import type { Notes } from "../Carry.ts"
import { entryOf, flagAt, type Loose, numberAt, recordOf, recordsOf, textAt } from "../Loose.ts"
import { type KnownSchedules, ofLevel, scheduleTarget, type SourceLevel, type SourcePolicy, userTarget } from "./SourcePolicy.ts"

const unitMinutes: Readonly<Record<string, number>> = { minutes: 1, hours: 60, days: 1440 }

const minutesOf = (delay: Loose): number =>
  (numberAt(delay, "timeAmount") ?? 0) * (entryOf(unitMinutes, textAt(delay, "timeUnit") ?? "minutes") ?? 1)

/** Delays count from the alert; rules of one delay are a level. */
export const opsgeniePolicy = (
  escalation: Loose,
  known: KnownSchedules,
  addressOf: (user: Loose) => string | null,
  notes: Notes
): SourcePolicy => {
  const rules = recordsOf(escalation["rules"])
    .map((rule) => ({ rule, minutes: minutesOf(recordOf(rule["delay"])) }))
    .sort((one, other) => one.minutes - other.minutes)
  const levels: Array<SourceLevel & { readonly at: number }> = []
  for (const { minutes, rule } of rules) {
    const last = levels.at(-1)
    const isSame = last?.at === minutes
    const say = ofLevel(notes, levels.length + (isSame ? 0 : 1))
    const recipient = recordOf(rule["recipient"])
    const type = textAt(recipient, "type") ?? ""
    const which = textAt(rule, "notifyType") ?? "default"
    if (textAt(rule, "condition") === "if-not-closed") say("it pages unless somebody has acknowledged, not until it is closed")
    if (type === "schedule" && which !== "default") say(`of the schedule, who is on call is paged, not ${which}`)
    if (type !== "user" && type !== "schedule") say(`a ${type === "" ? "recipient without a type" : type} has no like here`)
    const targets = type === "user"
      ? userTarget(addressOf(recipient), recipient, "GET /v2/users", say)
      : type === "schedule"
      ? scheduleTarget(recipient, known, say)
      : []
    if (last !== undefined && isSame) levels[levels.length - 1] = { ...last, targets: [...last.targets, ...targets] }
    else levels.push({ at: minutes, afterMinutes: minutes - (last?.at ?? 0), targets })
  }
  const repeat = recordOf(escalation["repeat"])
  if (flagAt(repeat, "closeAlertAfterAll")) notes.say("Alerts are not closed after the last repetition")
  const team = textAt(recordOf(escalation["ownerTeam"]), "name")
  if (team !== null) notes.say(`It was of the team ${team}`)
  const wait = numberAt(repeat, "waitInterval") ?? 0
  return {
    levels: levels.map(({ at: _, ...level }) => level),
    repeat: wait === 0 ? 0 : numberAt(repeat, "count") ?? 0,
    repeatAfterMinutes: wait === 0 ? null : wait
  }
}
