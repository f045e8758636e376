/** The text for each update of incidents: their texts may be a megabyte of Markdown, so a step writes a few of them. */
import type { PublicIncident } from "../../schema/incident/Incident.ts"
import { mapByWeight, type Steps } from "../domain/tools/Steps.ts"

export type Update = PublicIncident["updates"][number]

/** The weight of an update beside the characters of its body, and of the updates of one step. */
const weightOfUpdate = 500
const weightPerStep = 12 * 1024

/** By the updates themselves. */
export function* updateTexts(
  incidents: ReadonlyArray<PublicIncident>,
  write: (update: Update) => string
): Steps<(update: Update) => string> {
  const updates = incidents.flatMap((incident) => incident.updates)
  const weigh = ({ body }: Update) => weightOfUpdate + body.length
  const texts = new Map(yield* mapByWeight(updates, weightPerStep, weigh, (update) => [update, write(update)] as const))
  return (update) => texts.get(update) ?? ""
}
