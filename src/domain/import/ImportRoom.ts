/** Decides which things of an import a workspace has no room for, so that its preview says it and not only its job. */
import type { Plan } from "../../../schema/workspace/Workspace.ts"
import { planRefusal } from "../billing/PlanLimits.ts"
import { plans } from "../billing/Plans.ts"
import { capOf, capRefusal, type Caps } from "../workspace/Caps.ts"

/** The components are those of one page. */
type Limited = "monitors" | "channels" | "pages" | "components"

/** The counts that caps limit and plans do not. */
const isPlanned = (name: Limited): name is "monitors" | "pages" => name === "monitors" || name === "pages"

interface Standing {
  readonly plan: Plan
  readonly claimed: boolean
  readonly caps: Caps
  readonly had: Readonly<Record<Limited, number>>
}

interface Creatable {
  readonly input: unknown
  readonly notes: ReadonlyArray<string>
}

/** The things in their order; those beyond the room are without an input, with the reason. `isNew`: the import would create it. */
export const withinRoom = <A extends Creatable>(
  { caps, claimed, had: counts, plan }: Standing,
  name: Limited,
  things: ReadonlyArray<A>,
  isNew: (thing: A) => boolean
): ReadonlyArray<A> => {
  const had = counts[name]
  const bound = isPlanned(name) ? plans[plan][name] : null
  const most = Math.min(bound ?? Number.POSITIVE_INFINITY, capOf(caps[name], claimed) ?? Number.POSITIVE_INFINITY)
  const wanted = Math.max(had, most) + 1
  const refusal = (isPlanned(name) ? planRefusal(plan, [{ limit: name, had, wanted }]) : null) ??
    capRefusal(caps, claimed, { name, had, wanted })
  if (refusal === null) return things
  let left = most - had
  return things.map((thing) => {
    if (thing.input === null || !isNew(thing) || left-- > 0) return thing
    return { ...thing, input: null, notes: [...thing.notes, refusal.message] }
  })
}
