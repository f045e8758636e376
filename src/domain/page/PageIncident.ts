/** A public incident as input to a page's snapshot, including the names that the page must hide. */
import type { PublicIncident } from "../../../schema/incident/Incident.ts"

export interface PageIncident extends Omit<PublicIncident, "url"> {
  /** True if a monitor opened it, not a person. */
  readonly automatic: boolean
  readonly monitorName: string | null
  /** Not decoded: a target that only a newer version can read must not break the page. */
  readonly monitorTarget: unknown
  /** Affected components that this page does not show. */
  readonly otherNames: ReadonlyArray<string>
}
