/** Identifies what visitors see of a page at a glance, without the figures that move all the time. */
import { createHash } from "node:crypto"
import type { PageIncident } from "../PageIncident.ts"
import type { Snapshot } from "./Snapshot.ts"

const incidentFacts = ({ components, id, scheduledEnd, scheduledStart, status, title, updates }: PageIncident) => [
  id,
  title,
  status,
  scheduledStart?.epochMillis,
  scheduledEnd?.epochMillis,
  components,
  updates.map((update) => [update.id, update.body])
]

const versionOf = ({ components, groups, incidents, maintenances, page, status }: Snapshot): string =>
  createHash("sha256").update(JSON.stringify([
    page.updatedAt.epochMillis,
    status,
    groups,
    components.map(({ description, group, id, name, status, statusMessage }) => [
      id,
      name,
      description,
      group,
      status,
      statusMessage
    ]),
    [...incidents, ...maintenances].map(incidentFacts)
  ])).digest("base64url").slice(0, 12)

/** Each is needed for every form and every visitor who follows the page. */
const versions = new WeakMap<Snapshot, string>()

/** Equal for two snapshots between which no status, text or incident changed. */
export const snapshotVersion = (snapshot: Snapshot): string => {
  const known = versions.get(snapshot)
  if (known !== undefined) return known
  const version = versionOf(snapshot)
  versions.set(snapshot, version)
  return version
}
