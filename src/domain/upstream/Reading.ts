/** The result of reading a third party's published status, and the words of status pages. */
import { DateTime, Order } from "effect"
import type { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"
import { type Loose, recordsOf, textAt } from "../import/Loose.ts"

interface SourceComponent {
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

export const worst = (conditions: Iterable<UpstreamCondition>): UpstreamCondition | null => {
  let found: UpstreamCondition | null = null
  for (const condition of conditions) if (found === null || severity[condition] > severity[found]) found = condition
  return found
}

/** The components of a list, each by its name. */
export const componentsIn = (list: unknown, conditionIn: (component: Loose) => UpstreamCondition) =>
  recordsOf(list).flatMap((component) => {
    const name = textAt(component, "name")
    return name === null ? [] : [{ name, condition: conditionIn(component) }]
  })

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

/** Written without case, spaces, hyphens and underscores. */
const conditions: Readonly<Record<string, UpstreamCondition>> = {
  operational: "operational",
  up: "operational",
  ok: "operational",
  none: "operational",
  notimpacted: "operational",
  undermaintenance: "under_maintenance",
  plannedmaintenance: "under_maintenance",
  maintenance: "under_maintenance",
  degradedperformance: "degraded_performance",
  degraded: "degraded_performance",
  hasissues: "degraded_performance",
  minor: "degraded_performance",
  minoroutage: "degraded_performance",
  serviceinformation: "degraded_performance",
  partialoutage: "partial_outage",
  partialservicedisruption: "partial_outage",
  servicedisruption: "partial_outage",
  major: "partial_outage",
  majoroutage: "major_outage",
  fulloutage: "major_outage",
  critical: "major_outage",
  serviceoutage: "major_outage",
  outage: "major_outage",
  down: "major_outage",
  securityevent: "major_outage"
}

/** `unknown` for a word that no status page is known to use. */
export const conditionOf = (word: string | null): UpstreamCondition =>
  word === null ? "unknown" : conditions[word.toLowerCase().replaceAll(/[\s_-]/g, "")] ?? "unknown"

/** True if the words of an incident's state mean that it is over. */
export const isOver = (status: string): boolean =>
  /^(?:resolved|completed|postmortem|post-mortem|closed|fixed|available)$/i.test(status.trim())
