/** The result of reading a third party's published status. */
import { DateTime, Order } from "effect"
import type { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"

export interface SourceComponent {
  readonly name: string
  readonly condition: UpstreamCondition
}

export interface SourceIncident {
  readonly id: string
  readonly title: string
  /** In the words of the source. */
  readonly status: string
  readonly impact: UpstreamCondition
  readonly url: string | null
  readonly startedAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
  readonly resolvedAt: DateTime.Utc | null
  /** Names of components; empty if the source names none. */
  readonly components: ReadonlyArray<string>
  /** The latest text. */
  readonly text: string | null
}

/** The content of one document of a source; null for parts that it lacks. */
export interface SourcePart {
  readonly overall: UpstreamCondition | null
  readonly components: ReadonlyArray<SourceComponent> | null
  readonly incidents: ReadonlyArray<SourceIncident>
}

export interface Reading extends SourcePart {
  readonly components: ReadonlyArray<SourceComponent>
}

const severity: Readonly<Record<UpstreamCondition, number>> = {
  operational: 0,
  under_maintenance: 1,
  unknown: 2,
  degraded_performance: 3,
  partial_outage: 4,
  major_outage: 5
}

const bySeverity = Order.mapInput(Order.number, (condition: UpstreamCondition) => severity[condition])

/** The worst of several; null for none. */
export const worst = (conditions: Iterable<UpstreamCondition>): UpstreamCondition | null => {
  let found: UpstreamCondition | null = null
  for (const condition of conditions) found = found === null ? condition : Order.max(bySeverity)(found, condition)
  return found
}

/** Incidents that one reading keeps: more than any status page has at a time. */
const mostIncidents = 100
const mostComponents = 2000

const newestFirst = Order.reverse(Order.mapInput(DateTime.Order, ({ startedAt }: SourceIncident) => startedAt))

/** Joins the documents of a source. A later document replaces an incident of an earlier one. */
export const joinParts = (parts: ReadonlyArray<SourcePart>): Reading => {
  const incidents = new Map(parts.flatMap((part) => part.incidents).map((incident) => [incident.id, incident]))
  return {
    overall: parts.find(({ overall }) => overall !== null)?.overall ?? null,
    components: (parts.find(({ components }) => components !== null)?.components ?? []).slice(0, mostComponents),
    incidents: [...incidents.values()].sort(newestFirst).slice(0, mostIncidents)
  }
}
