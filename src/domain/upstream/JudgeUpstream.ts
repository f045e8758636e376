/**
 * The advice to a caller of a third party. The first rule that applies decides:
 *
 * | the source says, or we see | verdict |
 * |---|---|
 * | a major outage of the component, or an open incident of critical impact on it | `pause` |
 * | a partial outage | `fallback` |
 * | degraded performance | `retry` |
 * | our own probe gets no answer | `retry` |
 * | nothing for over 15 minutes | `retry` |
 * | anything else, maintenance included | `proceed` |
 */
import { DateTime } from "effect"
import type { CatalogueComponent } from "../../../schema/upstream/Catalogue.ts"
import type { UpstreamCondition, UpstreamVerdict } from "../../../schema/upstream/Upstream.ts"
import { counted } from "../tools/text/Counted.ts"
import { type Reading, type SourceIncident, worst } from "./Reading.ts"

/** The result of our own request. */
export interface Probe {
  readonly state: "up" | "down" | "unknown"
  readonly statusCode: number | null
}

export interface Known {
  readonly reading: Pick<Reading, "overall" | "components" | "incidents">
  /** When the source was last read; null for never. */
  readonly readAt: DateTime.Utc | null
  readonly probe: Probe
}

export type Judgement = ReturnType<typeof judge>

const staleAfterMs = 15 * 60_000

const folded = (name: string): string => name.trim().toLowerCase()

const matcher = ({ match }: Pick<CatalogueComponent, "match">) => {
  const names = new Set(match.map(folded))
  return (name: string): boolean => names.size === 0 || names.has(folded(name))
}

/** An incident that names no component concerns all of them. */
export const concerns = (component: Pick<CatalogueComponent, "match">, incident: SourceIncident): boolean =>
  incident.components.length === 0 || incident.components.some(matcher(component))

/** A component's condition by the source. Where it publishes no components, the impact of its open incidents decides. */
const conditionOf = (
  component: CatalogueComponent,
  { components, overall }: Known["reading"],
  open: ReadonlyArray<SourceIncident>
): UpstreamCondition => {
  const own = components.filter(({ name }) => matcher(component)(name)).map(({ condition }) => condition)
  // The page's own summary speaks for the whole page: one small component in trouble is no outage of everything.
  const published = component.match.length === 0 && overall !== null ? overall : worst(own)
  if (published !== null) return published
  return worst([components.length === 0 ? "operational" : "unknown", ...open.map(({ impact }) => impact)]) ?? "unknown"
}

const verdicts: Readonly<Record<UpstreamCondition, UpstreamVerdict>> = {
  operational: "proceed",
  under_maintenance: "proceed",
  unknown: "proceed",
  degraded_performance: "retry",
  partial_outage: "fallback",
  major_outage: "pause"
}

const worstOf = (open: ReadonlyArray<SourceIncident>): SourceIncident | null => {
  const impact = worst(open.map((incident) => incident.impact))
  return open.find((incident) => incident.impact === impact) ?? null
}

/** The content of mails about a component: its status, and pauses that its status does not explain. */
export const newsOf = ({ condition, verdict }: Pick<Judgement, "condition" | "verdict">): string =>
  verdict === "pause" && condition !== "major_outage" ? `${condition}, critical incident` : condition

/** `intervalSec`: how often the source is read, after which another look may say more. */
export const judge = (
  service: string,
  component: CatalogueComponent,
  { probe, readAt, reading }: Known,
  now: DateTime.Utc,
  intervalSec: number
) => {
  const open = reading.incidents.filter((incident) => incident.resolvedAt === null && concerns(component, incident))
  const incident = worstOf(open)
  const condition = readAt === null ? "unknown" : conditionOf(component, reading, open)
  const stale = readAt === null || DateTime.distance(readAt, now) > staleAfterMs
  const isCritical = readAt !== null && incident?.impact === "major_outage"
  const published = isCritical ? "pause" : verdicts[condition]
  const verdict: UpstreamVerdict = published !== "proceed" ? published : probe.state === "down" || stale ? "retry" : "proceed"
  const said = `${service} reports: ${component.name} ${condition.replaceAll("_", " ")}${
    incident === null ? "" : ` (${incident.title})`
  }`
  const reasons = [
    readAt === null ? `The status of ${service} was not read yet` : said,
    ...(isCritical && condition !== "major_outage" ? ["The impact of this incident is critical"] : []),
    ...(stale && readAt !== null
      ? [`That was ${counted(Math.round(DateTime.distance(readAt, now) / 60_000), "minute")} ago; it cannot be read since`]
      : []),
    ...(probe.state === "down" ? ["Our own request gets no answer"] : [])
  ]
  return {
    verdict,
    /** As the source publishes it. */
    condition,
    reason: reasons.join(". "),
    retryAfterSec: verdict === "retry" ? intervalSec : null,
    incident,
    stale
  }
}
