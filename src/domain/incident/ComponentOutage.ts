/** What a component's status means for the automatic incident of its page. */
import type { ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import type { Impact } from "../../../schema/incident/Incident.ts"

/** The statuses that are failures, from the mildest; announced work is none. */
const failures = ["degraded", "partial_outage", "major_outage"] as const satisfies ReadonlyArray<ComponentStatus>
export type Failing = (typeof failures)[number]

const asFailure = (status: EffectiveStatus): Failing | null => failures.find((failure) => failure === status) ?? null

export interface OutageRules {
  /** Whether the page opens incidents by itself. */
  readonly autoIncidents: boolean
  /** The mildest status that opens one. */
  readonly incidentMinStatus: Failing
}

/** What is to be done about the incident. */
export type OutageChange =
  | { readonly _tag: "Nothing" }
  /** It opens, or the component joins the one that is open. */
  | { readonly _tag: "Join"; readonly status: Failing }
  /** The component fails in another way than before. */
  | { readonly _tag: "Change"; readonly status: Failing }
  | { readonly _tag: "Leave" }

/**
 * A component is in an incident from when it fails badly enough until it is well, or work on it is announced. When nothing is
 * known of it any more, nobody can say that it is over.
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

/** How bad an incident is by the components in it. */
export const impactOf = (statuses: ReadonlyArray<ComponentStatus>): Impact =>
  statuses.some((status) => status === "partial_outage" || status === "major_outage") ? "major" : "minor"

const adjectives: Record<Failing, string> = {
  degraded: "is degraded",
  partial_outage: "is partly down",
  major_outage: "is down"
}

/** `Queue is down`. */
export const outageTitle = (name: string, status: Failing): string => `${name} ${adjectives[status]}`
