/** The words of status pages for the state of a component or the impact of an incident. */
import type { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"

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

/** Whether the words of an incident's state mean that it is over. */
export const isOver = (status: string): boolean =>
  /^(?:resolved|completed|postmortem|post-mortem|closed|fixed|available)$/i.test(status.trim())
