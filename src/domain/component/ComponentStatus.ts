/** The status a component shows: from its monitors or its pushes, and from the incidents that name it. */
import type { Aggregate, ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import type { SpanState } from "../monitor/Uptime.ts"

/** From best to worst; nothing known gives way to anything known, and announced work covers what it causes. */
const severity: Record<EffectiveStatus, number> = {
  unknown: 0,
  operational: 1,
  degraded: 2,
  partial_outage: 3,
  major_outage: 4,
  maintenance: 5
}

/** The one that visitors should hear of; `unknown` when there is none. */
export const worstOf = (statuses: Iterable<EffectiveStatus>): EffectiveStatus => {
  let worst: EffectiveStatus = "unknown"
  for (const status of statuses) if (severity[status] > severity[worst]) worst = status
  return worst
}

/**
 * What the monitors of a component say together. Those that nobody looks at (pending, paused, unobserved) have no say, and
 * with no other the status is unknown: a page never claims what nobody has seen.
 *
 * `worst`: down when any is down. `majority`: down when strictly more than half are; fewer are a partial outage.
 */
export const monitoredStatus = (aggregate: Aggregate, states: ReadonlyArray<SpanState>): EffectiveStatus => {
  const count = (state: SpanState) => states.reduce((sum, other) => other === state ? sum + 1 : sum, 0)
  const down = count("down")
  const impaired = down + count("degraded")
  const observed = impaired + count("up")
  const needed = aggregate === "worst" ? 0 : observed / 2
  if (observed === 0) return "unknown"
  if (down > needed) return "major_outage"
  if (down > 0) return "partial_outage"
  return impaired > needed ? "degraded" : "operational"
}

export interface StatusSources {
  readonly aggregate: Aggregate
  /** Of its monitors. */
  readonly monitors: ReadonlyArray<SpanState>
  /** What its pushes say; null where it is not pushed. Without either the component is well unless an incident says otherwise. */
  readonly pushed: EffectiveStatus | null
  /** What open incidents that a person wrote say of it. */
  readonly incidents: ReadonlyArray<ComponentStatus>
}

/** What visitors see: the worst that is known from any source, so that no source hides an outage that another sees. */
export const effectiveStatus = ({ aggregate, incidents, monitors, pushed }: StatusSources): EffectiveStatus =>
  worstOf([pushed ?? (monitors.length === 0 ? "operational" : monitoredStatus(aggregate, monitors)), ...incidents])
