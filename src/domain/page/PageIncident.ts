/** A public incident as a page's snapshot needs it: with the names that the page must not show. */
import type { PublicIncident } from "../../../schema/incident/Incident.ts"

export interface PageIncident extends Omit<PublicIncident, "url"> {
  /** Opened by a monitor, not by a person. */
  readonly automatic: boolean
  readonly monitorName: string | null
  /** As stored: a target that only a newer version can read must not take the page down. */
  readonly monitorTarget: unknown
  /** Affected components that this page does not show. */
  readonly otherNames: ReadonlyArray<string>
}
