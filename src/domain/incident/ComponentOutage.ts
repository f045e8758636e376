/** What the status of a pushed component means for the automatic incident of its page. */
import { DateTime } from "effect"
import type { ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import type { ComponentId, PageId } from "../../../schema/Ids.ts"
import type { PageSettings } from "../../../schema/page/Page.ts"
import { withSettingsDefaults } from "../page/PageDefaults.ts"
import { en } from "../words/en.ts"
import { impactOf, type IncidentChange, type OpenIncident, resolution, updateComponent } from "./AutomaticIncident.ts"

/** The statuses that are failures, from the mildest; announced work is not one. */
const failures = ["degraded", "partial_outage", "major_outage"] as const satisfies ReadonlyArray<ComponentStatus>
export type Failing = (typeof failures)[number]

const asFailure = (status: EffectiveStatus): Failing | null => failures.find((failure) => failure === status) ?? null

export interface OutageRules {
  /** Whether the page opens incidents by itself. */
  readonly autoIncidents: boolean
  /** The mildest status that opens one. */
  readonly incidentMinStatus: Failing
}

/** The rules for one component of a page; a hidden component never opens or joins an incident. */
export const outageRules = (settings: PageSettings, hidden: boolean): OutageRules => {
  const { autoIncidents, incidentMinStatus } = withSettingsDefaults(settings, "UTC")
  return { autoIncidents: autoIncidents && !hidden, incidentMinStatus }
}

/** What the component does. */
export type OutageChange =
  | { readonly _tag: "Nothing" }
  /** It opens the page's incident, or joins the one that is open. */
  | { readonly _tag: "Join"; readonly status: Failing }
  /** It fails in another way than before. */
  | { readonly _tag: "Change"; readonly status: Failing }
  | { readonly _tag: "Leave" }

/**
 * A component is in an incident from when it fails badly enough until it is well, or work on it is announced. While nothing
 * is known of it, nothing changes: silence is neither an outage nor its end. Only joining depends on the rules, so that a page
 * that stops opening incidents still ends those it has opened.
 */
export const outageChange = (
  rules: OutageRules,
  inIncident: boolean,
  before: EffectiveStatus,
  after: EffectiveStatus
): OutageChange => {
  const failing = asFailure(after)
  if (!inIncident) {
    return failing !== null && rules.autoIncidents && failures.indexOf(failing) >= failures.indexOf(rules.incidentMinStatus)
      ? { _tag: "Join", status: failing }
      : { _tag: "Nothing" }
  }
  if (failing !== null) return after === before ? { _tag: "Nothing" } : { _tag: "Change", status: failing }
  return after === "unknown" ? { _tag: "Nothing" } : { _tag: "Leave" }
}

const adjectives: Record<Failing, string> = {
  degraded: "is degraded",
  partial_outage: "is partly down",
  major_outage: "is down"
}

/** `Queue is down`. */
const outageTitle = (name: string, status: Failing): string => `${name} ${adjectives[status]}`

/** A component that fails or has recovered. */
export interface ReportingComponent {
  readonly id: ComponentId
  readonly name: string
  readonly pageId: PageId
}

/** The component fails since `since` (ms): it opens the page's incident, or joins `open`. */
export const joinIncident = (
  component: ReportingComponent,
  status: Failing,
  since: number,
  open: OpenIncident | null
): IncidentChange => {
  if (open !== null) return updateComponent(open, component.id, status, en.affectedToo(component.name))
  return {
    _tag: "Open",
    incident: {
      monitorId: null,
      public: true,
      title: outageTitle(component.name, status),
      status: "investigating",
      impact: impactOf([status]),
      components: [{ componentId: component.id, status }],
      pageIds: [component.pageId],
      startedAt: DateTime.unsafeMake(since),
      body: en.investigating(component.name)
    }
  }
}

/** The component fails in another way. */
export const changeIncident = (component: ReportingComponent, status: Failing, open: OpenIncident): IncidentChange =>
  updateComponent(open, component.id, status, `${outageTitle(component.name, status)}.`)

/** The affected components of an incident as their rows have them; deleted components are missing. */
export type NamedComponents = ReadonlyArray<{ readonly id: ComponentId; readonly name: string }>

/** The component is well again at `at`. The incident ends with the last of its components; a deleted one no longer fails. */
export const leaveIncident = (
  component: ReportingComponent,
  open: OpenIncident,
  at: DateTime.Utc,
  affected: NamedComponents
): IncidentChange => {
  const existing = new Set(affected.map(({ id }) => id))
  const othersFail = open.components.some(({ componentId, status }) =>
    componentId !== component.id && status !== "operational" && existing.has(componentId)
  )
  return othersFail
    ? updateComponent(open, component.id, "operational", en.recoveredAlone(component.name))
    : resolution(open, at, "recovered", component.name, namesOf(affected))
}

/** Each name once. */
export const namesOf = (affected: NamedComponents): ReadonlyArray<string> => [...new Set(affected.map(({ name }) => name))]
