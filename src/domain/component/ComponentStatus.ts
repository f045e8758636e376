/** Computes a component's status from its sources, and says which source decided. */
import type { Aggregate, Component, ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import type { SpanState } from "../monitor/Uptime.ts"

/** A component with its current status, without its push URL. */
export type ComponentView = Omit<Component, "pushUrl">

/** Ranks statuses from best to worst. Any known status outranks unknown. Maintenance outranks the failures that it causes. */
const severity: Record<EffectiveStatus, number> = {
  unknown: 0,
  operational: 1,
  degraded: 2,
  partial_outage: 3,
  major_outage: 4,
  maintenance: 5
}

/** From mildest to worst, for reports of failures: there maintenance is none. */
const failureOrder: ReadonlyArray<EffectiveStatus> = [
  "unknown",
  "operational",
  "maintenance",
  "degraded",
  "partial_outage",
  "major_outage"
]

/** The worse of two reported statuses. */
export const worse = <Status extends EffectiveStatus>(one: Status, other: Status): Status =>
  failureOrder.indexOf(other) > failureOrder.indexOf(one) ? other : one

/** The worst status of a day: its maintenance hides no failure at another time, or of another component. */
export const worstOfDay = (statuses: ReadonlyArray<EffectiveStatus>): EffectiveStatus =>
  statuses.reduce<EffectiveStatus>(worse, "unknown")

/** The most severe status of one time; `unknown` when there is none. */
export const worstOf = (statuses: Iterable<EffectiveStatus>): EffectiveStatus => {
  let worst: EffectiveStatus = "unknown"
  for (const status of statuses) if (severity[status] > severity[worst]) worst = status
  return worst
}

/**
 * The status of a component by its monitors, now and in its history. Monitors without observations (pending, paused, unobserved) do
 * not count; if none counts, the status is unknown.
 *
 * `worst`: any monitor that is down or degraded decides. `majority`: strictly more than half of the observed monitors must be
 * down for an outage, and down or degraded for a degradation; a minority changes nothing.
 */
export const monitoredStatus = (aggregate: Aggregate, states: ReadonlyArray<SpanState>): EffectiveStatus => {
  const count = (state: SpanState) => states.reduce((sum, other) => other === state ? sum + 1 : sum, 0)
  const down = count("down")
  const impaired = down + count("degraded")
  const observed = impaired + count("up")
  if (observed === 0) return "unknown"
  const needed = aggregate === "worst" ? 0 : observed / 2
  if (down > needed) return "major_outage"
  return impaired > needed ? "degraded" : "operational"
}

interface AutomaticSources {
  readonly aggregate: Aggregate
  readonly monitors: ReadonlyArray<SpanState>
  /** The status by pushes or a manifest; null if the component has neither. Without these and monitors only people change it. */
  readonly pushed: EffectiveStatus | null
}

export interface StatusSources extends AutomaticSources {
  /** The status that a person has fixed; null without one. */
  readonly override: ComponentStatus | null
  /** Its statuses in maintenance windows that are running. */
  readonly maintenances: ReadonlyArray<ComponentStatus>
  /** Its statuses in open incidents, as people set them. */
  readonly incidents: ReadonlyArray<ComponentStatus>
}

interface DecidedStatus {
  readonly status: EffectiveStatus
  readonly decidedBy: "override" | "maintenance" | "incident" | "push" | "monitors" | "none"
}

/** The status without people's decisions. */
export const automaticStatus = ({ aggregate, monitors, pushed }: AutomaticSources): DecidedStatus => {
  if (pushed !== null) return { status: pushed, decidedBy: "push" }
  return monitors.length === 0
    ? { status: "operational", decidedBy: "none" }
    : { status: monitoredStatus(aggregate, monitors), decidedBy: "monitors" }
}

/** The statuses that decide: an incident that lists a component as operational says that it is no longer affected. */
export const affecting = (statuses: ReadonlyArray<ComponentStatus>): ReadonlyArray<ComponentStatus> =>
  statuses.filter((status) => status !== "operational")

/**
 * The status that visitors see: an override, else that of a running maintenance window, else that of an open incident, else the
 * automatic one. Among several incidents or windows the worst decides; those that do not affect it are passed over.
 */
export const effectiveStatus = (sources: StatusSources): DecidedStatus => {
  if (sources.override !== null) return { status: sources.override, decidedBy: "override" }
  const maintenances = affecting(sources.maintenances)
  if (maintenances.length > 0) return { status: worstOf(maintenances), decidedBy: "maintenance" }
  const incidents = affecting(sources.incidents)
  if (incidents.length > 0) return { status: worstOf(incidents), decidedBy: "incident" }
  return automaticStatus(sources)
}
