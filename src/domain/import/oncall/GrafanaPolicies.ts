/** Grafana OnCall: escalation chains and their steps as its API answers GET /escalation_chains and /escalation_policies. */
import type { Urgency } from "../../../../schema/oncall/Way.ts"
import type { TargetEntry } from "../../../../schema/plan/WorkspaceDocument.ts"
import type { Notes } from "../Carry.ts"
import { flagAt, type Loose, namesOf, numberAt, textAt } from "../Loose.ts"
import { type KnownSchedules, scheduleTarget, type SourceLevel, type SourcePolicy, userTarget } from "./SourcePolicy.ts"

/** How often a chain begins again where a step says so (Grafana OnCall: repeat_escalation). */
const repetitions = 5

/** The steps of a chain by their positions. Those without a wait between them are a level. */
export const grafanaPolicy = (
  chain: Loose,
  steps: ReadonlyArray<Loose>,
  known: KnownSchedules,
  addresses: ReadonlyMap<string, string>,
  notes: Notes
): SourcePolicy => {
  const positionOf = (step: Loose) => numberAt(step, "position") ?? 0
  const own = steps.filter((step) => textAt(step, "escalation_chain_id") === textAt(chain, "id"))
    .sort((one, other) => positionOf(one) - positionOf(other))
  const levels: Array<SourceLevel> = []
  let waited = 0
  let hasWaited = true
  let repeat = 0
  const page = (targets: ReadonlyArray<TargetEntry>, urgency: Urgency | undefined): void => {
    const last = levels.at(-1)
    if (last !== undefined && !hasWaited && last.urgency === urgency) {
      levels[levels.length - 1] = { ...last, targets: [...last.targets, ...targets] }
    } else {
      levels.push({ afterMinutes: waited / 60, targets, ...(urgency === undefined ? {} : { urgency }) })
    }
    waited = 0
    hasWaited = false
  }
  for (const [at, step] of own.entries()) {
    const say = (why: string): void => notes.say(`Step ${at + 1}: ${why}`)
    const type = textAt(step, "type") ?? ""
    const urgency = flagAt(step, "important") ? "high" : undefined
    const users = (field: string) =>
      namesOf(step[field]).flatMap((id) => userTarget(addresses.get(id) ?? null, { id }, "GET /users", say))
    switch (type) {
      case "wait":
        waited += numberAt(step, "duration") ?? 0
        hasWaited = true
        break
      case "notify_persons":
        page(users("persons_to_notify"), urgency)
        break
      case "notify_person_next_each_time":
        say("people take no turns here: all are paged")
        page(users("persons_to_notify_next_each_time"), urgency)
        break
      case "notify_on_call_from_schedule":
        page(scheduleTarget({ id: textAt(step, "notify_on_call_from_schedule") }, known, say), urgency)
        break
      case "repeat_escalation":
        repeat = repetitions
        break
      default:
        say(`${type === "" ? "a step without a type" : type} has no like here`)
    }
  }
  return { levels, repeat, repeatAfterMinutes: repeat === 0 || waited === 0 ? null : waited / 60 }
}
