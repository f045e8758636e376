/** A page of Atlassian Statuspage, or of a service that serves the same public JSON: its groups and components. */
import type { ComponentStatus } from "../../../../schema/component/Component.ts"
import type { Steps } from "../../tools/Steps.ts"
import { cut, cutIfGiven, foundComponent, makeNotes, pageInput } from "../Carry.ts"
import type { FoundComponent, FoundPage } from "../Inventory.ts"
import { flagAt, type Loose, numberAt, recordOf, textAt } from "../Loose.ts"
import { firstComponents, takeInSteps } from "../TakeInSteps.ts"
import { pageZone } from "../ZoneNames.ts"

/** Statuspage's words for a status; an empty one means unknown. */
const statuses: Readonly<Record<string, ComponentStatus>> = {
  operational: "operational",
  degraded_performance: "degraded",
  partial_outage: "partial_outage",
  major_outage: "major_outage",
  full_outage: "major_outage",
  under_maintenance: "maintenance"
}

export const statusOf = (word: string | null): ComponentStatus | null => (word === null ? null : statuses[word] ?? null)

interface StatuspageParts {
  readonly page: Loose
  readonly components: ReadonlyArray<Loose>
  readonly groups: ReadonlyArray<Loose>
}

/** Groups are components themselves, marked with `group`, or a list of their own. */
const groupNames = ({ components, groups }: StatuspageParts): ReadonlyMap<string, string> =>
  new Map([...components.filter((component) => flagAt(component, "group")), ...groups].flatMap((group) => {
    const [id, name] = [textAt(group, "id"), textAt(group, "name")]
    return id === null || name === null ? [] : [[id, name.slice(0, 80)]]
  }))

const position = (component: Loose): number => numberAt(component, "position") ?? 0

const componentOf = (groups: ReadonlyMap<string, string>) => (component: Loose): ReadonlyArray<FoundComponent> => {
  const id = textAt(component, "id")
  if (id === null) return []
  const notes = makeNotes()
  const name = textAt(component, "name") ?? id
  if (flagAt(component, "only_show_if_degraded")) notes.say("It is always shown, not only when it is degraded")
  const status = statusOf(textAt(component, "status"))
  const group = groups.get(textAt(component, "group_id") ?? "")
  return foundComponent(notes, `component:${id}`, { name, description: textAt(component, "description"), group }, { status })
}

export function* statuspagePage(parts: StatuspageParts, warnings: Array<string>): Steps<FoundPage | null> {
  const id = textAt(parts.page, "id")
  if (id === null) return null
  const notes = makeNotes()
  const name = textAt(parts.page, "name") ?? "Status page"
  const domain = textAt(parts.page, "domain")
  if (domain !== null) notes.say(`Its domain ${domain} is not carried: set customDomain when you move its DNS record`)
  const groups = groupNames(parts)
  const shown = parts.components.filter((component) => !flagAt(component, "group"))
  const first = [...firstComponents(name, shown, warnings)].sort((one, other) => position(one) - position(other))
  return {
    ref: `page:${id}`,
    name,
    input: pageInput(notes, {
      name: cut(notes, "The name", name, 100),
      description: cutIfGiven(notes, "The description", textAt(parts.page, "page_description"), 500),
      settings: pageZone(notes, textAt(parts.page, "time_zone"))
    }),
    notes: notes.all,
    components: yield* takeInSteps("components", first, warnings, componentOf(groups))
  }
}

export const pageOf = (summary: Loose): Loose => recordOf(summary["page"])
