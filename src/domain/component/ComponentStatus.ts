/** Computes a component's status from its monitors or pushes and from the incidents that name it. */
import type { Aggregate, ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import type { SpanState } from "../monitor/Uptime.ts"

/** Ranks statuses from best to worst. Any known status outranks unknown. Maintenance outranks the failures that it causes. */
const severity: Record<EffectiveStatus, number> = {
  unknown: 0,
  operational: 1,
  degraded: 2,
  partial_outage: 3,
  major_outage: 4,
  maintenance: 5
}

/** The most severe status; `unknown` when there is none. */
export const worstOf = (statuses: Iterable<EffectiveStatus>): EffectiveStatus => {
  let worst: EffectiveStatus = "unknown"
  for (const status of statuses) if (severity[status] > severity[worst]) worst = status
  return worst
}

/**
 * The status of a component by its monitors, for the current status and for the history. Monitors without observations (pending,
 * paused, unobserved) do not count. If no monitor counts, the status is unknown, because a page shows only what was observed.
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

export interface StatusSources {
  readonly aggregate: Aggregate
  /** The states of its monitors. */
  readonly monitors: ReadonlyArray<SpanState>
  /** The pushed status; null if the component takes no pushes. Without pushes and monitors only incidents change the status. */
  readonly pushed: EffectiveStatus | null
  /** Its statuses in open incidents that people created. */
  readonly incidents: ReadonlyArray<ComponentStatus>
}

/** The status that visitors see: the worst of all sources, because no source may hide an outage that another reports. */
export const effectiveStatus = ({ aggregate, incidents, monitors, pushed }: StatusSources): EffectiveStatus =>
  worstOf([pushed ?? (monitors.length === 0 ? "operational" : monitoredStatus(aggregate, monitors)), ...incidents])
