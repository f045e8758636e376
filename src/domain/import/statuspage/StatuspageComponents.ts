/** A page of Atlassian Statuspage, or of a service that serves the same public JSON: its groups and components. */
import type { ComponentStatus } from "../../../../schema/component/Component.ts"
import type { Steps } from "../../tools/Steps.ts"
import { cut, cutIfGiven, foundComponent, makeNotes, pageInput } from "../Carry.ts"
import type { FoundComponent, FoundPage } from "../Inventory.ts"
import { entryOf, flagAt, idOf, type Loose, numberAt, recordOf, textAt } from "../Loose.ts"
import { firstComponents, takeInSteps } from "../TakeInSteps.ts"
import { groupOf, sayUnread } from "../Unread.ts"
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

export const statusOf = (word: string | null): ComponentStatus | null => (word === null ? null : entryOf(statuses, word) ?? null)

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

const componentOf = (groups: ReadonlyMap<string, string>) => (component: Loose, index: number): FoundComponent => {
  const notes = makeNotes()
  const named = textAt(component, "name")
  const id = idOf(component, named, index)
  const name = named ?? id
  sayUnread(notes, component, { texts: ["name", "description", "status", "group_id"], numbers: ["position"] })
  if (flagAt(component, "only_show_if_degraded")) notes.say("It is always shown, not only when it is degraded")
  const word = textAt(component, "status")
  const status = statusOf(word)
  if (word !== null && status === null) notes.say(`Its status "${word}" is not known, and is not carried`)
  const group = groupOf(notes, groups, component, "group_id")
  return foundComponent(notes, `component:${id}`, { name, description: textAt(component, "description"), group }, { status })
}

export function* statuspagePage(parts: StatuspageParts, index: number, warnings: Array<string>): Steps<FoundPage> {
  const notes = makeNotes()
  const named = textAt(parts.page, "name")
  const id = idOf(parts.page, named, index)
  const name = named ?? "Status page"
  sayUnread(notes, parts.page, { texts: ["name", "page_description", "time_zone"] })
  const domain = textAt(parts.page, "domain")
  if (domain !== null) notes.say(`Its domain ${domain} is not carried: set customDomain when you move its DNS record`)
  const locked = flagAt(parts.page, "viewers_must_be_team_members") || textAt(parts.page, "ip_restrictions") !== null
  if (locked) notes.say("Who may see it is not carried; the page is private: set its password")
  const groups = groupNames(parts)
  const shown = parts.components.filter((component) => !flagAt(component, "group"))
  const first = [...firstComponents(name, shown, warnings)].sort((one, other) => position(one) - position(other))
  return {
    ref: `page:${id}`,
    name,
    input: pageInput(notes, {
      name: cut(notes, "The name", name, 100),
      description: cutIfGiven(notes, "The description", textAt(parts.page, "page_description"), 500),
      visibility: locked ? "private" : null,
      seo: flagAt(parts.page, "hidden_from_search") ? { noindex: true } : null,
      settings: pageZone(notes, textAt(parts.page, "time_zone"))
    }),
    notes: notes.all,
    components: yield* takeInSteps("components", first, warnings, componentOf(groups))
  }
}

export const pageOf = (summary: Loose): Loose => recordOf(summary["page"])
