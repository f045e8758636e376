/** The status of a page in the format of Statuspage's API v2, which aggregators read. */
import { DateTime } from "effect"
import type { EffectiveStatus } from "../../schema/component/Component.ts"
import type { PublicIncident } from "../../schema/incident/Incident.ts"
import type { ComponentGroup } from "../../schema/page/Page.ts"
import type { PublicComponent } from "../../schema/page/PublicPage.ts"
import { markdownText } from "../domain/markdown/MarkdownText.ts"
import { pageStatus } from "../domain/page/PageStatus.ts"
import type { Steps } from "../domain/tools/Steps.ts"
import type { PublicView } from "./PublicView.ts"
import { type Update, updateTexts } from "./UpdateTexts.ts"

/** Whether each document shows open incidents, and past ones, which are read separately. */
export const v2Documents = {
  "summary": { open: true, past: false },
  "status": { open: false, past: false },
  "components": { open: false, past: false },
  "incidents": { open: false, past: true },
  "incidents/unresolved": { open: true, past: false },
  "scheduled-maintenances": { open: false, past: true },
  "scheduled-maintenances/upcoming": { open: true, past: false },
  "scheduled-maintenances/active": { open: true, past: false }
} as const
export type V2Document = keyof typeof v2Documents

const statuses: Record<EffectiveStatus, string> = {
  operational: "operational",
  degraded: "degraded_performance",
  partial_outage: "partial_outage",
  major_outage: "major_outage",
  maintenance: "under_maintenance",
  // The format has no such status.
  unknown: "operational"
}

const indicators: Record<EffectiveStatus, string> = {
  operational: "none",
  degraded: "minor",
  partial_outage: "major",
  major_outage: "critical",
  maintenance: "maintenance",
  unknown: "none"
}

const iso = (at: DateTime.Utc | null) => (at === null ? null : DateTime.formatIso(at))

const componentOf = (
  { page }: PublicView,
  { description, group, id, name, status, updatedAt }: PublicComponent,
  position: number
) => ({
  id,
  name,
  status: statuses[status],
  created_at: iso(updatedAt),
  updated_at: iso(updatedAt),
  position,
  description,
  showcase: true,
  start_date: null,
  group_id: group,
  page_id: page.page.id,
  group: false,
  only_show_if_degraded: false
})

const groupOf = ({ page }: PublicView, { description, id, name }: ComponentGroup, position: number) => {
  const members = page.components.filter(({ group }) => group === id)
  return {
    id,
    name,
    status: statuses[pageStatus(members.map(({ status }) => status), [])],
    created_at: iso(page.updatedAt),
    updated_at: iso(page.updatedAt),
    position,
    description,
    showcase: false,
    start_date: null,
    group_id: null,
    page_id: page.page.id,
    group: true,
    only_show_if_degraded: false,
    components: members.map((member) => member.id)
  }
}

const componentsOf = (view: PublicView) => [
  ...view.page.components.map((component, index) => componentOf(view, component, index + 1)),
  ...view.page.groups.map((group, index) => groupOf(view, group, index + 1))
]

const updatesOf = (incident: PublicIncident, textOf: (update: Update) => string) =>
  [...incident.updates].reverse().map((update) => ({
    id: update.id,
    status: update.status,
    body: textOf(update),
    incident_id: incident.id,
    created_at: iso(update.at),
    updated_at: iso(update.at),
    display_at: iso(update.at),
    affected_components: null,
    deliver_notifications: true,
    custom_tweet: null,
    tweet_id: null
  }))

const incidentOf = (view: PublicView, textOf: (update: Update) => string) => (incident: PublicIncident) => {
  const affected = new Set<string>(incident.components.map(({ componentId }) => componentId))
  const monitoring = incident.updates.find(({ status }) => status === "monitoring")
  return {
    id: incident.id,
    name: incident.title,
    status: incident.status,
    created_at: iso(incident.updates[0]?.at ?? incident.startedAt),
    updated_at: iso(incident.updates.at(-1)?.at ?? incident.startedAt),
    monitoring_at: iso(monitoring?.at ?? null),
    resolved_at: iso(incident.resolvedAt),
    impact: incident.kind === "maintenance" ? "maintenance" : incident.impact,
    shortlink: incident.url,
    started_at: iso(incident.startedAt),
    page_id: view.page.page.id,
    incident_updates: updatesOf(incident, textOf),
    components: view.page.components.flatMap((component, index) =>
      affected.has(component.id) ? [componentOf(view, component, index + 1)] : []
    ),
    ...(incident.kind === "maintenance"
      ? { scheduled_for: iso(incident.scheduledStart), scheduled_until: iso(incident.scheduledEnd) }
      : {})
  }
}

/** `past` are all incidents and windows, newest first, for the documents that show them. */
export function* statuspageV2(document: V2Document, view: PublicView, past: ReadonlyArray<PublicIncident>): Steps<object> {
  const { incidents, maintenances, page, status, statusText, updatedAt } = view.page
  // Its readers show a text as it is.
  const textOf = yield* updateTexts([...incidents, ...maintenances, ...past], ({ body }) => markdownText(body))
  const shown = incidentOf(view, textOf)
  const about = {
    page: { id: page.id, name: page.name, url: page.url, time_zone: page.settings.timezone ?? "UTC", updated_at: iso(updatedAt) }
  }
  const overall = { status: { indicator: indicators[status], description: statusText } }
  const only = (kind: PublicIncident["kind"]) => past.filter((incident) => incident.kind === kind).slice(0, 50).map(shown)
  const windows = (wanted: "scheduled" | "in_progress") => maintenances.filter((window) => window.status === wanted).map(shown)
  const documents: Record<V2Document, () => object> = {
    "summary": () => ({
      ...about,
      components: componentsOf(view),
      incidents: incidents.map(shown),
      scheduled_maintenances: maintenances.map(shown),
      ...overall
    }),
    "status": () => ({ ...about, ...overall }),
    "components": () => ({ ...about, components: componentsOf(view) }),
    "incidents": () => ({ ...about, incidents: only("incident") }),
    "incidents/unresolved": () => ({ ...about, incidents: incidents.map(shown) }),
    "scheduled-maintenances": () => ({ ...about, scheduled_maintenances: only("maintenance") }),
    "scheduled-maintenances/upcoming": () => ({ ...about, scheduled_maintenances: windows("scheduled") }),
    "scheduled-maintenances/active": () => ({ ...about, scheduled_maintenances: windows("in_progress") })
  }
  return documents[document]()
}
