/** The changes that the status of a component makes to the automatic incident of its page. */
import { DateTime } from "effect"
import type { Component, ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import type { ComponentId } from "../../../schema/Ids.ts"
import type { PageSettings } from "../../../schema/page/Page.ts"
import { withSettingsDefaults } from "../page/PageDefaults.ts"
import { en } from "../words/en.ts"
import {
  abandonedNote,
  type AbandonReason,
  type EndReason,
  impactOf,
  type IncidentChange,
  lastedUntil,
  type OpenIncident,
  resolution,
  updateComponent
} from "./AutomaticIncident.ts"

/** The statuses that are failures, mildest first; maintenance is not a failure. */
export const failures = ["degraded", "partial_outage", "major_outage"] as const satisfies ReadonlyArray<ComponentStatus>
export type Failing = (typeof failures)[number]

export interface OutageRules {
  /** The statuses with which a component opens the incident of its page, or joins it. */
  readonly opensAt: ReadonlyArray<Failing>
}

/**
 * The rules for one component of a page; a hidden one never opens or joins an incident. `reportsItself` is false if its monitors have
 * incidents of their own; of a degradation they have none, so the component opens it if its page wants that.
 */
export const outageRules = (
  settings: PageSettings,
  { hidden, reportsItself }: { readonly hidden: boolean; readonly reportsItself: boolean }
): OutageRules => {
  const { autoIncidents, incidentMinStatus } = withSettingsDefaults(settings, "UTC")
  if (!autoIncidents || hidden) return { opensAt: [] }
  const severe = failures.slice(failures.indexOf(incidentMinStatus))
  return { opensAt: reportsItself ? severe : severe.filter((failure) => failure === "degraded") }
}

export type OutageChange =
  | { readonly _tag: "Nothing" }
  /** Opens the page's incident, or joins the open one. */
  | { readonly _tag: "Join"; readonly status: Failing }
  | { readonly _tag: "Change"; readonly status: Failing }
  | { readonly _tag: "Leave"; readonly reason: EndReason }

/**
 * A component joins an incident when it fails badly enough, and leaves when it recovers, enters maintenance, or all of its monitors are
 * `paused`. An unknown status changes nothing otherwise. Only joining depends on the rules, so open incidents are always resolved.
 */
export const outageChange = (
  rules: OutageRules,
  inIncident: boolean,
  before: EffectiveStatus,
  after: EffectiveStatus,
  paused: boolean
): OutageChange => {
  const failing = failures.find((failure) => failure === after) ?? null
  if (!inIncident) {
    return failing !== null && rules.opensAt.includes(failing)
      ? { _tag: "Join", status: failing }
      : { _tag: "Nothing" }
  }
  if (failing !== null) return after === before ? { _tag: "Nothing" } : { _tag: "Change", status: failing }
  if (after !== "unknown") return { _tag: "Leave", reason: "recovered" }
  return paused ? { _tag: "Leave", reason: "monitoring was paused" } : { _tag: "Nothing" }
}

const adjectives: Record<Failing, string> = {
  degraded: "is degraded",
  partial_outage: "is partly down",
  major_outage: "is down"
}

/** A component that fails or has recovered. */
export type ReportingComponent = Pick<Component, "id" | "name" | "pageId">

/** The component has been failing since `since` (ms): it opens the page's incident, or joins `open`. */
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
      title: `${component.name} ${adjectives[status]}`,
      status: "investigating",
      impact: impactOf([status]),
      components: [{ componentId: component.id, status }],
      pageIds: [component.pageId],
      startedAt: DateTime.unsafeMake(since),
      body: en.investigating(component.name)
    }
  }
}

export const changeIncident = (component: ReportingComponent, status: Failing, open: OpenIncident): IncidentChange =>
  updateComponent(open, component.id, status, en.fails[status](component.name))

/** The affected components of an incident that still exist. */
export type NamedComponents = ReadonlyArray<Pick<Component, "id" | "name">>

/** The component recovered at `at`, or is not observed from then on. The incident ends with its last component that exists. */
export const leaveIncident = (
  component: ReportingComponent,
  reason: EndReason,
  open: OpenIncident,
  at: DateTime.Utc,
  affected: NamedComponents
): IncidentChange => {
  const existing = new Set(affected.map(({ id }) => id))
  const othersFail = open.components.some(({ componentId, status }) =>
    componentId !== component.id && status !== "operational" && existing.has(componentId)
  )
  if (!othersFail) return resolution(open, at, reason, component.name, namesOf(affected))
  const note = reason === "recovered"
    ? en.recoveredAlone(component.name)
    : abandonedNote(component.name, reason, lastedUntil(open, at))
  return updateComponent(open, component.id, "operational", note)
}

/** The distinct names: the same component may be on several pages. */
export const namesOf = (affected: ReadonlyArray<{ readonly name: string }>) => [...new Set(affected.map(({ name }) => name))]

/** The effect of deleting components on the open incident of their page. */
type Removal =
  | { readonly _tag: "Nothing" }
  /** Others still fail: the incident goes on without the deleted ones. */
  | { readonly _tag: "Shrink"; readonly components: OpenIncident["components"] }
  | { readonly _tag: "End"; readonly change: IncidentChange }

export const removeComponents = (
  removed: ReadonlySet<ComponentId>,
  open: OpenIncident,
  at: DateTime.Utc,
  reason: AbandonReason,
  affected: NamedComponents
): Removal => {
  const existing = new Set(affected.map(({ id }) => id))
  const left = open.components.filter(({ componentId }) => existing.has(componentId) && !removed.has(componentId))
  if (left.length === existing.size && left.length > 0) return { _tag: "Nothing" }
  return left.some(({ status }) => status !== "operational")
    ? { _tag: "Shrink", components: left }
    : { _tag: "End", change: resolution(open, at, reason, "", namesOf(affected)) }
}
