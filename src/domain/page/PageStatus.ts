/** Computes a page's overall status from its components and open incidents. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { Impact } from "../../../schema/incident/Incident.ts"
import { worstOf } from "../component/ComponentStatus.ts"

/** The least status of a page with an open incident of each impact. */
const impacts: Record<Impact, EffectiveStatus> = {
  none: "unknown",
  minor: "degraded",
  major: "partial_outage",
  critical: "major_outage"
}

/** A page is in major outage only if all of its components are. */
const ofComponents = (statuses: ReadonlyArray<EffectiveStatus>): EffectiveStatus => {
  const known = statuses.filter((status) => status !== "unknown")
  const working = known.filter((status) => status !== "maintenance")
  // A failing component matters more to the page than another one's maintenance.
  const worst = worstOf(working)
  if (worst === "major_outage") return known.every((status) => status === "major_outage") ? "major_outage" : "partial_outage"
  if (worst === "partial_outage" || worst === "degraded") return worst
  return working.length < known.length ? "maintenance" : worst
}

export const pageStatus = (components: ReadonlyArray<EffectiveStatus>, openImpacts: ReadonlyArray<Impact>): EffectiveStatus => {
  const shown = ofComponents(components)
  const fromIncidents = worstOf(openImpacts.map((impact) => impacts[impact]))
  return shown === "maintenance" && fromIncidents !== "unknown" ? fromIncidents : worstOf([shown, fromIncidents])
}
