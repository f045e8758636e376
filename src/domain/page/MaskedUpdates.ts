/** The texts that people wrote in updates, without the secrets of URLs: each is masked once, whatever shows it. */
import { maskUrls } from "../secret/UrlSecrets.ts"
import { mapByWeight, type Steps } from "../tools/Steps.ts"
import type { PageIncident, PageUpdate } from "./PageIncident.ts"

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
