/** Status pages that publish a feed only: RSS or Atom, and Azure's, which lists what is wrong now. */
import { DateTime, Option } from "effect"
import { DomUtils, parseDocument, parseFeed } from "htmlparser2"
import type { UpstreamCondition } from "../../../schema/upstream/Upstream.ts"
import type { SourceIncident, SourcePart } from "./Reading.ts"

const longestText = 20_000

/** The words of HTML without its tags. */
const plainText = (html: string): string =>
  DomUtils.textContent(parseDocument(html.slice(0, longestText))).replaceAll(/\s+/g, " ").trim()

/** An entry that does not mention its end counts as open for this long after its last change. */
const openMs = 24 * 3_600_000

const ended = /\b(?:resolved|completed|closed|mitigated|recovered|back to normal|operating normally)\b/i

/** The impact of an entry, from its words; a feed has no field for it. */
const impactOf = (text: string): UpstreamCondition =>
  /\b(?:major outage|full outage|critical)\b/i.test(text)
    ? "major_outage"
    : /\b(?:outage|unavailable|disruption|down)\b/i.test(text)
    ? "partial_outage"
    : /\bmaintenance\b/i.test(text)
    ? "under_maintenance"
    : "degraded_performance"

type Entry = NonNullable<ReturnType<typeof parseFeed>>["items"][number]

const incidentOf = (now: DateTime.Utc, current: boolean) => ({ description, id, link, pubDate, title }: Entry) => {
  if (title === undefined || title.trim() === "") return []
  const at = pubDate === undefined ? Option.some(now) : Option.map(DateTime.make(pubDate), DateTime.toUtc)
  if (Option.isNone(at)) return []
  const text = plainText(description ?? "")
  // The newest update comes first, so its words say how things are.
  const latest = `${title} ${text.slice(0, 300)}`
  const isOpen = current || (!ended.test(latest) && DateTime.distance(at.value, now) < openMs)
  const incident: SourceIncident = {
    id: id ?? link ?? title,
    title: plainText(title).slice(0, 300),
    status: isOpen ? "open" : "resolved",
    impact: impactOf(latest),
    url: link ?? null,
    startedAt: at.value,
    updatedAt: at.value,
    resolvedAt: isOpen ? null : at.value,
    components: [],
    text: text === "" ? null : text
  }
  return [incident]
}

/** `current`: the feed holds only what is wrong now. Null if the text is no feed. */
export const feedPart = (text: string, now: DateTime.Utc, current: boolean): SourcePart | null => {
  const feed = parseFeed(text)
  if (feed === null) return null
  return { overall: null, components: [], incidents: feed.items.slice(0, 100).flatMap(incidentOf(now, current)) }
}
