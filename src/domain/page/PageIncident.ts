/** A public incident as input to a page's snapshot, including the names that the page must hide. */
import type { PublicIncident, PublicUpdate, SetComponent } from "../../../schema/incident/Incident.ts"

/** A public update; an internal note is another type. */
export interface PageUpdate extends PublicUpdate {
  /** False for a note of the service, which names what the page must hide and is translated. */
  readonly byPerson: boolean
}

export interface PageIncident extends Omit<PublicIncident, "components" | "url" | "updates"> {
  readonly components: ReadonlyArray<SetComponent>
  /** True if a monitor opened it, not a person. */
  readonly automatic: boolean
  readonly updates: ReadonlyArray<PageUpdate>
  /** True if it has older updates that were not read. */
  readonly isCut: boolean
  readonly monitorName: string | null
  /** Not decoded: a target that only a newer version can read must not break the page. */
  readonly monitorTarget: unknown
  /** Affected components that this page does not show. */
  readonly otherNames: ReadonlyArray<string>
}
