/** The draft of a postmortem, written from an incident's own record without AI. */
import { DateTime } from "effect"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { durationText, secondsBetween } from "../tools/Duration.ts"
import { namesOf } from "./ComponentOutage.ts"

/** More updates would make the draft too long to save. */
const mostUpdates = 50
const longestUpdate = 500

const moment = (at: DateTime.Utc) => DateTime.formatIso(at).slice(0, 16).replace("T", " ") + " UTC"

const short = (body: string) => {
  const line = body.replace(/\s+/g, " ").trim()
  return line.length > longestUpdate ? `${line.slice(0, longestUpdate)}…` : line
}

/** `now` ends the duration of an incident that is still open. */
export const postmortemDraft = (
  incident: Incident,
  affected: ReadonlyArray<{ readonly name: string }>,
  now: DateTime.Utc
): string => {
  const names = namesOf(affected)
  const end = incident.resolvedAt ?? now
  const lasted = durationText(secondsBetween(incident.startedAt.epochMillis, end.epochMillis))
  const timeline = incident.updates.slice(0, mostUpdates).map(({ at, body, status }) =>
    `- ${moment(at)}: ${status}. ${short(body)}`
  )
  return [
    `# Postmortem: ${incident.title}`,
    "## Summary",
    "What happened, in two or three sentences.",
    "## Impact",
    [
      `- Impact: ${incident.impact}`,
      `- Affected: ${names.length === 0 ? "no components were named" : names.join(", ")}`,
      `- Start: ${moment(incident.startedAt)}`,
      `- End: ${incident.resolvedAt === null ? "still open" : moment(incident.resolvedAt)}`,
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
