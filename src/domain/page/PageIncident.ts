/** A public incident as input to a page's snapshot, including the names that the page must hide. */
import type { PublicIncident, PublicUpdate, SetComponent } from "../../../schema/incident/Incident.ts"
import { maskUrls } from "../secret/UrlSecrets.ts"
import { mapByWeight, type Steps } from "../tools/Steps.ts"

/** A public update; an internal note is another type. */
export interface PageUpdate extends PublicUpdate {
  /** False for a note of the service, which names what the page must hide and is translated. */
  readonly byPerson: boolean
}

export interface PageIncident extends Omit<PublicIncident, "components" | "url" | "updates"> {
  readonly components: ReadonlyArray<SetComponent>
  /** True if a monitor opened it, not a person. */
  readonly automatic: boolean
  /** True for maintenance of all components of the page, except those that it lists. */
  readonly wholePage?: boolean
  readonly updates: ReadonlyArray<PageUpdate>
  /** True if it has older updates that were not read. */
  readonly isCut: boolean
  readonly monitorName: string | null
  /** Not decoded: a target that only a newer version can read must not break the page. */
  readonly monitorTarget: unknown
  /** Affected components that this page does not show. */
  readonly otherNames: ReadonlyArray<string>
}

const masked = new WeakMap<object, string>()

/** The body of an update. A URL copied into it may hold a secret. */
export const maskedBody = (update: Pick<PageUpdate, "body">): string => {
  const known = masked.get(update)
  if (known !== undefined) return known
  const body = maskUrls(update.body)
  masked.set(update, body)
  return body
}

/** Characters that are masked in one step, about 3 ms where all of them are URLs. */
const lengthPerStep = 32 * 1024

/** Masks all updates of incidents, so that showing them costs nothing more. */
export function* maskInSteps(incidents: ReadonlyArray<Pick<PageIncident, "updates">>): Steps<void> {
  yield* mapByWeight(incidents.flatMap(({ updates }) => updates), lengthPerStep, ({ body }) => body.length, maskedBody)
}
