/** Finds the incident of a third party that likely caused one of ours: it began around the same time and was not over before. */
import { DateTime, Order } from "effect"
import type { Catalogue } from "./Catalogue.ts"
import { concerns } from "./JudgeUpstream.ts"
import type { SourceIncident } from "./Reading.ts"

/** Third parties often announce late, and our monitors may notice late: either may be first. */
export const aroundMs = 60 * 60_000

/** How long before our outage its cause may have ended: caches and queues still fail after a fix, and monitors notice late. */
const slackMs = 5 * 60_000

const isOver = ({ resolvedAt }: SourceIncident, startedAt: DateTime.Utc): boolean =>
  resolvedAt !== null && resolvedAt.epochMillis < startedAt.epochMillis - slackMs

/** An incident of a declared third party. `component`: what the workspace depends on; null for all of it. */
export interface Candidate extends SourceIncident {
  readonly service: string
  readonly component: string | null
}

const isConcerned = (entries: Catalogue) => ({ component, service, ...incident }: Candidate): boolean => {
  const known = entries.get(service)?.components?.find(({ slug }) => slug === component)
  return known === undefined || concerns(known, incident)
}

/** The candidate that began nearest to `startedAt`, before or after, and was not over by then; null if none fits. */
export const likelyCause = (startedAt: DateTime.Utc, candidates: ReadonlyArray<Candidate>, entries: Catalogue) => {
  const distance = ({ startedAt: began }: Candidate) => Math.abs(DateTime.distance(startedAt, began))
  const [nearest] = candidates
    .filter((one) => distance(one) <= aroundMs && !isOver(one, startedAt) && isConcerned(entries)(one))
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
