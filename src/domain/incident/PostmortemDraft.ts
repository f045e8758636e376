/** The draft of a postmortem, written from an incident without AI, and the record of its versions. */
import { type DateTime, Option } from "effect"
import type { IncidentId } from "../../../schema/Ids.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import type { Postmortem, PostmortemVersion } from "../../../schema/incident/Postmortem.ts"
import { cut } from "../tools/text/TrimText.ts"
import { durationText, secondsBetween } from "../tools/time/Duration.ts"
import { momentText } from "../tools/time/Moments.ts"
import { namesOf } from "./ComponentOutage.ts"

/** More updates would make the draft too long to save. */
const mostUpdates = 50
const longestUpdate = 500

const short = (body: string) => cut(body.replace(/\s+/g, " ").trim(), longestUpdate)

/** `now` ends the duration of an incident that is still open. */
export const postmortemDraft = (incident: Incident, affected: ReadonlyArray<{ readonly name: string }>, now: DateTime.Utc) => {
  const names = namesOf(affected)
  const end = incident.resolvedAt ?? now
  const lasted = durationText(secondsBetween(incident.startedAt.epochMillis, end.epochMillis))
  const timeline = incident.updates.slice(0, mostUpdates).map(({ at, body, status }) =>
    `- ${momentText(at, "UTC")}: ${status}. ${short(body)}`
  )
  return [
    `# Postmortem: ${incident.title}`,
    "## Summary",
    "What happened, in two or three sentences.",
    "## Impact",
    [
      `- Impact: ${incident.impact}`,
      `- Affected: ${names.length === 0 ? "no components were named" : names.join(", ")}`,
      `- Start: ${momentText(incident.startedAt, "UTC")}`,
      `- End: ${incident.resolvedAt === null ? "still open" : momentText(incident.resolvedAt, "UTC")}`,
      `- Duration: ${lasted}`
    ].join("\n"),
    "## Timeline",
    timeline.join("\n"),
    "## Root cause",
    "Why it happened.",
    "## What went well",
    "- ",
    "## What went badly",
    "- ",
    "## Action items",
    "- [ ] "
  ].join("\n\n") + "\n"
}

interface StoredVersion
  extends Pick<PostmortemVersion, "version" | "ai" | "by" | "at">, Pick<Postmortem, "markdown" | "publicSummary">
{
  readonly publishedAt: DateTime.Utc | null
}

const versionOf = ({ ai, at, by, markdown, publicSummary, version }: StoredVersion, history: boolean): PostmortemVersion => ({
  version,
  at,
  by,
  ai,
  ...(history ? { markdown, publicSummary } : {})
})

const publishedIn = (versions: ReadonlyArray<StoredVersion>): Postmortem["published"] =>
  versions.reduce<Postmortem["published"]>(
    (last, { publishedAt, version }) =>
      publishedAt !== null && (last === null || publishedAt.epochMillis > last.at.epochMillis)
        ? { version, at: publishedAt }
        : last,
    null
  )

/** None without a version. `versions` come newest first. */
export const postmortemOf = (incidentId: IncidentId, versions: ReadonlyArray<StoredVersion>, history: boolean) =>
  Option.map(Option.fromNullable(versions[0]), ({ ai, markdown, publicSummary, version }) => ({
    incidentId,
    version,
    markdown,
    publicSummary,
    ai,
    published: publishedIn(versions),
    versions: versions.map((one) => versionOf(one, history))
  }))
