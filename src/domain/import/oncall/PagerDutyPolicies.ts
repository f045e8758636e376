/** PagerDuty: escalation policies as its REST API v2 answers GET /escalation_policies. */
import type { Notes } from "../Carry.ts"
import { type Loose, numberAt, recordOf, recordsOf, textAt } from "../Loose.ts"
import { type KnownSchedules, ofLevel, scheduleTarget, type SourcePolicy, userTarget } from "./SourcePolicy.ts"

/** `escalation_delay_in_minutes` is how long an incident stays at a rule; after the last one the loops begin. */
export const pagerDutyPolicy = (
  policy: Loose,
  known: KnownSchedules,
  addressOf: (reference: Loose) => string | null,
  notes: Notes
): SourcePolicy => {
  const rules = recordsOf(policy["escalation_rules"])
  const delays = rules.map((rule) => numberAt(rule, "escalation_delay_in_minutes") ?? 30)
  const levels = rules.map((rule, at) => {
    const say = ofLevel(notes, at + 1)
    if (textAt(recordOf(rule["escalation_rule_assignment_strategy"]), "type") === "round_robin") {
      say("targets take no turns here: all are paged")
    }
    const targets = recordsOf(rule["targets"]).flatMap((target) => {
      const type = textAt(target, "type")?.replace(/_reference$/, "") ?? ""
      if (type === "user") return userTarget(addressOf(target), target, "GET /users", say)
      if (type === "schedule") return scheduleTarget(target, known, say)
      say(`a target of the type ${type === "" ? "that is not named" : type} has no like here`)
      return []
    })
    return { afterMinutes: delays[at - 1] ?? 0, targets }
  })
  const services = recordsOf(policy["services"]).flatMap((one) => textAt(one, "summary", "name") ?? [])
  if (services.length > 0) notes.say(`It was of the services ${services.join(", ")}`)
  return { levels, repeat: numberAt(policy, "num_loops") ?? 0, repeatAfterMinutes: delays.at(-1) ?? null }
}
