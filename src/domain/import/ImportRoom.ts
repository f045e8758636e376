/** Decides which things of an import a workspace has no room for, so that its preview says it and not only its job. */
import { Struct } from "effect"
import type { Plan } from "../../../schema/workspace/Workspace.ts"
import { planRefusal } from "../billing/PlanLimits.ts"
import { plans } from "../billing/Plans.ts"
import { capOf, capRefusal, type Caps } from "../workspace/Caps.ts"
import type { FoundPage } from "./Inventory.ts"

type Planned = "monitors" | "codeMonitors" | "pages" | "customDomains"
type Capped = "monitors" | "channels" | "pages" | "components" | "groups" | "templates" | "schedules" | "policies"

/** The components and groups are those of one page. */
type Limited = Planned | Capped

const planned: ReadonlyArray<Limited> = ["monitors", "codeMonitors", "pages", "customDomains"]
const isPlanned = (name: Limited): name is Planned => planned.includes(name)
const isCapped = (name: Limited): name is Capped => name !== "codeMonitors" && name !== "customDomains"

interface Standing {
  readonly plan: Plan
  readonly claimed: boolean
  readonly caps: Caps
  readonly had: Readonly<Record<Limited, number>>
}

interface Creatable {
  readonly input?: unknown
  readonly notes: ReadonlyArray<string>
}

const withoutInput = <A extends Creatable>(thing: A, reason: string): A => ({
  ...thing,
  input: null,
  notes: [...thing.notes, reason]
})

/**
 * The things in their order; those beyond the room are without an input, with the reason, or as `beyond` says. `isNew`: the import
 * would create it.
 */
export const withinRoom = <A extends Creatable>(
  { caps, claimed, had: counts, plan }: Standing,
  name: Limited,
  things: ReadonlyArray<A>,
  isNew: (thing: A) => boolean,
  beyond: (thing: A, reason: string) => A = withoutInput
): ReadonlyArray<A> => {
  const had = counts[name]
  const bound = isPlanned(name) ? plans[plan][name] : null
  const cap = isCapped(name) ? capOf(caps[name], claimed) : null
  const most = Math.min(bound ?? Number.POSITIVE_INFINITY, cap ?? Number.POSITIVE_INFINITY)
  const wanted = Math.max(had, most) + 1
  const refusal = (isPlanned(name) ? planRefusal(plan, [{ limit: name, had, wanted }]) : null) ??
    (isCapped(name) ? capRefusal(caps, claimed, { name, had, wanted }) : null)
  if (refusal === null) return things
  let left = most - had
  return things.map((thing) => {
    if (thing.input === null || !isNew(thing) || left-- > 0) return thing
    return beyond(thing, refusal.message)
  })
}

/** A new page with the groups that it has room for; components of other groups are in none. */
export const withGroupsInRoom = (standing: Standing, page: FoundPage): FoundPage => {
  const names = [...(page.groups ?? []).map(({ name }) => name), ...page.components.flatMap(({ input }) => input?.group ?? [])]
  const groups = [...new Set(names)].map((name) => ({ name, notes: [] }))
  const reasons = new Map(
    withinRoom(standing, "groups", groups, () => true).flatMap(({ name, notes: [reason] }) =>
      reason === undefined ? [] : [[name, `group ${name} is left out: ${reason}`]]
    )
  )
  return reasons.size === 0 ? page : {
    ...page,
    groups: (page.groups ?? []).filter(({ name }) => !reasons.has(name)),
    notes: [...page.notes, ...reasons.values()],
    components: page.components.map((component) => {
      const reason = reasons.get(component.input?.group ?? "")
      return reason === undefined || component.input === null
        ? component
        : { ...component, input: Struct.omit(component.input, "group"), notes: [...component.notes, reason] }
    })
  }
}
