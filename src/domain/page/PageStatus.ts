/** The status of a whole page: one word for all of its components and open incidents. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { Impact } from "../../../schema/incident/Incident.ts"
import { worstOf } from "../component/ComponentStatus.ts"

/** How bad a page with such an incident is at least. */
const impacts: Record<Impact, EffectiveStatus> = {
  none: "unknown",
  minor: "degraded",
  major: "partial_outage",
  critical: "major_outage"
}

/** One component of several being down is a partial outage of the page; only all of them are a major one. */
const ofComponents = (statuses: ReadonlyArray<EffectiveStatus>): EffectiveStatus => {
  const known = statuses.filter((status) => status !== "unknown")
  const working = known.filter((status) => status !== "maintenance")
  // Maintenance of one component says little about a page on which another fails.
  const worst = worstOf(working)
  if (worst === "major_outage") return known.every((status) => status === "major_outage") ? "major_outage" : "partial_outage"
  if (worst === "partial_outage" || worst === "degraded") return worst
  return working.length < known.length ? "maintenance" : worst
}

/** `impacts` are those of the incidents that are open now. */
export const pageStatus = (
  components: ReadonlyArray<EffectiveStatus>,
  openImpacts: ReadonlyArray<Impact>
): EffectiveStatus => {
  const shown = ofComponents(components)
  const told = worstOf(openImpacts.map((impact) => impacts[impact]))
  return shown === "maintenance" && told !== "unknown" ? told : worstOf([shown, told])
}
