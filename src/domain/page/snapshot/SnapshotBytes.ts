/** Roughly how much memory a snapshot takes. */
import type { PageIncident } from "../PageIncident.ts"
import type { Snapshot } from "./Snapshot.ts"

/** Objects with their texts, bytes, as V8 lays them out. */
const aComponent = 1500
const aDay = 150
const anIncident = 2000
const anUpdate = 400
/** The bytes of a page's settings, and of each of its styles and images beside their texts. */
const aPage = 10_000
/** A character; a masked text is kept beside the original. */
const aCharacter = 4

const incidentBytes = ({ otherNames, updates }: PageIncident): number =>
  updates.reduce((sum, { body }) => sum + anUpdate + body.length * aCharacter, anIncident + otherNames.length * 100)

export const snapshotBytes = ({ components, groups, incidents, maintenances, page, past }: Snapshot): number =>
  aPage + JSON.stringify(page).length * 2 + groups.length * 500 +
  components.reduce(
    (sum, { days, responses }) => sum + aComponent + ((days?.length ?? 0) + (responses === null ? 0 : 50)) * aDay,
    0
  ) +
  [...incidents, ...maintenances, ...past].reduce((sum, incident) => sum + incidentBytes(incident), 0)
