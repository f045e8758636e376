/** Builds the record of a postmortem from its versions. */
import { type DateTime, Option } from "effect"
import type { IncidentId } from "../../../schema/Ids.ts"
import type { Postmortem, PostmortemVersion } from "../../../schema/incident/Postmortem.ts"

interface StoredVersion {
  readonly version: number
  readonly markdown: string
  readonly publicSummary: string | null
  readonly ai: boolean
  readonly by: string
  readonly at: DateTime.Utc
  readonly publishedAt: DateTime.Utc | null
}

const versionOf = ({ ai, at, by, markdown, publicSummary, version }: StoredVersion, history: boolean): PostmortemVersion => ({
  version,
  at,
  by,
  ai,
  ...(history ? { markdown, publicSummary } : {})
})

/** The version that was published last. */
const publishedIn = (versions: ReadonlyArray<StoredVersion>): Postmortem["published"] =>
  versions.reduce<Postmortem["published"]>(
    (last, { publishedAt, version }) =>
      publishedAt !== null && (last === null || publishedAt.epochMillis > last.at.epochMillis) ? { version, at: publishedAt } : last,
    null
  )

/** None without a version. `versions` come newest first. */
export const postmortemOf = (
  incidentId: IncidentId,
  versions: ReadonlyArray<StoredVersion>,
  history: boolean
): Option.Option<Postmortem> =>
  Option.map(Option.fromNullable(versions[0]), ({ ai, markdown, publicSummary, version }) => ({
    incidentId,
    version,
    markdown,
    publicSummary,
    ai,
    published: publishedIn(versions),
    versions: versions.map((one) => versionOf(one, history))
  }))
