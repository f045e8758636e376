/** The worst status that a component had in an incident: it says what the incident was about, also after the component is well. */
import type { ComponentStatus } from "../../../schema/component/Component.ts"
import type { AffectedComponent, Impact, SetComponent } from "../../../schema/incident/Incident.ts"
import { worse } from "../component/ComponentStatus.ts"

const worstOfOne = ({ status, worst }: SetComponent): ComponentStatus => worst === undefined ? status : worse(worst, status)

/** A component of an incident with another status; it remembers the worst. */
export const withStatus = (before: SetComponent | undefined, next: SetComponent): SetComponent => {
  const worst = before === undefined ? next.status : worse(worstOfOne(before), next.status)
  return worst === next.status ? next : { ...next, worst }
}

/** Components as they were at another time, with the worst status of each. */
export const withWorstOf = (components: ReadonlyArray<AffectedComponent>, known: ReadonlyArray<SetComponent>) =>
  components.map((one) => withStatus(known.find(({ componentId }) => componentId === one.componentId), one))

/** The failure behind an automatic incident: its failed components, and the worst status. Without components the impact decides. */
export const failureOf = (
  { components, impact }: { readonly components: ReadonlyArray<SetComponent>; readonly impact: Impact }
): { readonly components: ReadonlyArray<SetComponent>; readonly status: ComponentStatus } => {
  const failed = components.filter((one) => worstOfOne(one) !== "operational")
  if (failed.length === 0) return { components, status: impact === "minor" ? "degraded" : "major_outage" }
  return { components: failed, status: failed.map(worstOfOne).reduce(worse) }
}
