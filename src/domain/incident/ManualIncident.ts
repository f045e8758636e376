/** Incidents as people write them: their impact, their components, and the notes that the service writes for them. */
import type { DateTime } from "effect"
import type { PageId } from "../../../schema/Ids.ts"
import type {
  AffectedComponent,
  GivenImpact,
  Impact,
  Incident,
  IncidentKind,
  ProgressStatus,
  SetComponent
} from "../../../schema/incident/Incident.ts"
import type { Refusal } from "../Refusal.ts"
import { durationText, secondsBetween } from "../tools/time/Duration.ts"
import { en } from "../words/en.ts"
import { impactOf } from "./AutomaticIncident.ts"
import { endOf } from "./IncidentMachine.ts"
import { withStatus } from "./WorstStatus.ts"

/** The impact of an incident whose author gave none. */
export const defaultImpact = (components: ReadonlyArray<AffectedComponent>): Impact =>
  components.length === 0 ? "minor" : impactOf(components.map(({ status }) => status))

/** The impact of a record; `maintenance` is what templates say of windows, which have none. */
export const impactGiven = (given: GivenImpact): Impact => given === "maintenance" ? "none" : given

export type Headline = Pick<Incident, "title" | "impact">

/** The title and the impact after an update, which replaces what it gives. */
export const headlineAfter = (
  before: Headline,
  given: { readonly title?: string | undefined; readonly impact?: GivenImpact | undefined }
): Headline => ({
  title: given.title ?? before.title,
  impact: given.impact === undefined ? before.impact : impactGiven(given.impact)
})

/** The internal note of a new title or impact: the timeline keeps what it was before. Null if neither changes. */
export const headlineNote = (before: Headline, after: Headline): string | null => {
  const changes = [
    ...(before.title === after.title ? [] : [`Title changed from "${before.title}" to "${after.title}".`]),
    ...(before.impact === after.impact ? [] : [`Impact changed from ${before.impact} to ${after.impact}.`])
  ]
  return changes.length === 0 ? null : changes.join(" ")
}

/** The components with those that a person has listed: a listed component gets the listed status. */
export const withListed = (components: ReadonlyArray<SetComponent>, listed: ReadonlyArray<AffectedComponent>) => {
  const byId = new Map(components.map((one) => [one.componentId, one]))
  for (const { componentId, status } of listed) {
    byId.set(componentId, withStatus(byId.get(componentId), { componentId, status, byPerson: true }))
  }
  return [...byId.values()]
}

export const timesAfter = (
  { from, resolvedAt, startedAt }: {
    readonly from: ProgressStatus
    readonly startedAt: DateTime.Utc
    readonly resolvedAt: DateTime.Utc | null
  },
  to: ProgressStatus,
  now: DateTime.Utc
): { readonly startedAt: DateTime.Utc; readonly resolvedAt: DateTime.Utc | null } => {
  const isEnd = to !== from && (to === "resolved" || to === "completed")
  // A window that starts early, or is cancelled before it starts, began now and not at its scheduled start.
  const beganNow = from === "scheduled" && to !== from && startedAt.epochMillis > now.epochMillis
  return { startedAt: beganNow ? now : startedAt, resolvedAt: isEnd ? now : resolvedAt }
}

/** The note of an incident that ends without one. It names the components that visitors know, if there are any. */
export const endNote = (kind: IncidentKind, names: ReadonlyArray<string>, startedAt: DateTime.Utc, now: DateTime.Utc): string => {
  if (kind === "maintenance") return en.maintenanceCompleted
  const lasted = durationText(secondsBetween(startedAt.epochMillis, now.epochMillis))
  return names.length === 0 ? en.resolvedAfter(lasted) : en.recovered(names.join(", "), lasted)
}

/** The note that reminds of a maintenance window, in whole minutes: one that goes out a second late says the same. */
export const reminderNote = (start: DateTime.Utc, now: DateTime.Utc): string =>
  en.maintenanceSoon(durationText(60 * Math.max(1, Math.round(secondsBetween(now.epochMillis, start.epochMillis) / 60))))

export const maintenanceNote = (status: "in_progress" | "completed"): string =>
  status === endOf.maintenance ? en.maintenanceCompleted : en.maintenanceStarted

export type Reach = Pick<Incident, "public" | "pageIds">

/** Pages that an incident or a maintenance window is on at most: those that callers name, and those of its components. */
export const mostPages = 20

/**
 * The pages after a person's update that lists components of the pages `listedOn`. A public update brings the incident onto these
 * pages. `wish` is the update's `public`: an incident that was opened as internal is published by an explicit true alone.
 */
export const reachAfter = (reach: Reach, listedOn: ReadonlyArray<PageId>, wish: boolean | undefined): Reach => {
  const wasKeptInternal = !reach.public && reach.pageIds.length > 0
  if (listedOn.length === 0 || !(wish ?? !wasKeptInternal)) return reach
  const pageIds = [...new Set([...reach.pageIds, ...listedOn])]
  return reach.public && pageIds.length === reach.pageIds.length ? reach : { public: true, pageIds }
}

/** The refusal of too many pages; null if they are few enough. `path` is the field with the components. */
export const pagesRefusal = (pages: number, path: "components" | "componentIds"): Refusal | null =>
  pages <= mostPages ? null : {
    path,
    message: `An incident is on at most ${mostPages} pages, and with these components it would be on ${pages}`,
    hint: "Open another incident for the other pages"
  }

/** True if an update brings an incident onto more pages than allowed. */
export const reachesTooMany = (before: Reach, after: Reach): boolean =>
  after.pageIds.length > mostPages && after.pageIds.length > before.pageIds.length
