/** Finds the incident of a third party that likely caused one of ours: it began around the same time. */
import { DateTime, Order } from "effect"
import type { LikelyUpstream } from "../../../schema/upstream/Upstream.ts"
import type { Catalogue } from "./Catalogue.ts"
import type { SourceIncident } from "./Reading.ts"
import { concerns } from "./Verdict.ts"

/** Third parties often announce late, and our monitors may notice late: either may be first. */
export const aroundMs = 60 * 60_000

/** An incident of a declared third party. `component`: what the workspace depends on; null for all of it. */
export interface Candidate extends SourceIncident {
  readonly service: string
  readonly component: string | null
}

const isConcerned = (entries: Catalogue) => ({ component, service, ...incident }: Candidate): boolean => {
  const known = entries.get(service)?.components?.find(({ slug }) => slug === component)
  return known === undefined || concerns(known, incident)
}

/** The candidate that began nearest to `startedAt`, before or after; null if none fits. */
export const likelyCause = (
  startedAt: DateTime.Utc,
  candidates: ReadonlyArray<Candidate>,
  entries: Catalogue
): LikelyUpstream | null => {
  const distance = ({ startedAt: began }: Candidate) => Math.abs(DateTime.distance(startedAt, began))
  const [nearest] = candidates
    .filter((candidate) => distance(candidate) <= aroundMs && isConcerned(entries)(candidate))
    .sort(Order.mapInput(Order.number, distance))
  if (nearest === undefined) return null
  return {
    service: nearest.service,
    name: entries.get(nearest.service)?.name ?? nearest.service,
    incident: nearest.title,
    url: nearest.url,
    startedAt: nearest.startedAt
  }
}
