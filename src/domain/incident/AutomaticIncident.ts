/** The data, changes and resolution of automatic incidents, of monitors and of pages. */
import { Array, DateTime } from "effect"
import type { ComponentStatus } from "../../../schema/component/Component.ts"
import type { ComponentId } from "../../../schema/Ids.ts"
import type { Impact, Incident, IncidentStatus, SetComponent } from "../../../schema/incident/Incident.ts"
import { maskUrls } from "../secret/UrlSecrets.ts"
import { durationText, secondsBetween } from "../tools/time/Duration.ts"
import { en } from "../words/en.ts"
import { withStatus } from "./WorstStatus.ts"

/** An incident to open; `monitorId` is null for the incident of a page. */
export interface NewIncident
  extends Pick<Incident, "monitorId" | "public" | "title" | "impact" | "components" | "pageIds" | "startedAt">
{
  readonly status: IncidentStatus
  /** The text of its first update. */
  readonly body: string
}

export interface OpenIncident extends Pick<Incident, "id" | "status" | "impact" | "public" | "startedAt"> {
  readonly components: ReadonlyArray<SetComponent>
}

interface Resolution {
  readonly _tag: "Resolve"
  readonly of: OpenIncident
  readonly at: DateTime.Utc
  readonly body: string
}

/** The change to write: a new incident, or a change to the incident `of`. An update keeps the incident's status. */
export type IncidentChange =
  | { readonly _tag: "Open"; readonly incident: NewIncident }
  | {
    readonly _tag: "Update"
    readonly of: OpenIncident
    readonly components: ReadonlyArray<SetComponent>
    readonly impact: Impact
    readonly body: string
  }
  | Resolution

/** Why an automatic incident ends although its cause has not recovered. */
export const abandonReasons = [
  "monitoring was paused",
  "the monitor was deleted",
  "the component was deleted",
  "the page was deleted"
] as const
export type AbandonReason = typeof abandonReasons[number]

/** Why an automatic incident ends: its cause has recovered, or is no longer monitored. */
export type EndReason = "recovered" | AbandonReason

/** The note of an incident that ends without a recovery. `lasted` is a text of `durationText`. */
export const abandonedNote = (names: string, reason: AbandonReason, lasted: string): string =>
  `${names}: ${reason} after ${lasted}.`

export const lastedUntil = ({ startedAt }: Pick<OpenIncident, "startedAt">, at: DateTime.Utc): string =>
  durationText(secondsBetween(DateTime.toEpochMillis(startedAt), DateTime.toEpochMillis(at)))

export const impactOf = (statuses: ReadonlyArray<ComponentStatus>): Impact =>
  statuses.some((status) => status === "partial_outage" || status === "major_outage") ? "major" : "minor"

export const updateComponent = (
  of: OpenIncident,
  componentId: ComponentId,
  status: ComponentStatus,
  body: string
): IncidentChange => {
  const [[before], others] = Array.partition(of.components, (one) => one.componentId !== componentId)
  const components = [...others, withStatus(before, { componentId, status })]
  return { _tag: "Update", of, components, impact: impactOf(components.map((one) => one.status)), body }
}

/** Resolves an incident at `at`, but not before its start. Its note names the affected components if it is public, else `name`. */
export const resolution = (
  of: OpenIncident,
  at: DateTime.Utc,
  reason: EndReason,
  name: string,
  affectedNames: ReadonlyArray<string>
): Resolution => {
  const lasted = lastedUntil(of, at)
  const what = of.public ? affectedNames.join(", ") : maskUrls(name)
  return {
    _tag: "Resolve",
    of,
    at: DateTime.max(of.startedAt, at),
    body: reason === "recovered" ? en.recovered(what, lasted) : abandonedNote(what, reason, lasted)
  }
}
