/** The documents in which each kind of source publishes a status, and how each is read. */
import { type DateTime, Either } from "effect"
import type { SourceKind } from "../../../schema/upstream/Catalogue.ts"
import { withoutTrailing } from "../tools/text/TrimText.ts"
import { awsPart, gcpPart } from "./CloudSources.ts"
import { feedPart } from "./FeedSource.ts"
import { instatusPart } from "./InstatusSource.ts"
import type { SourcePart } from "./Reading.ts"
import { statusIoPart } from "./StatusIoSource.ts"
import { statuspagePart } from "./StatuspageSource.ts"

export interface SourceDocument {
  readonly url: URL
  /** Null if the text is something else than this kind of source publishes. */
  readonly read: (text: string, now: DateTime.Utc) => SourcePart | null
}

type JsonReader = (document: unknown) => SourcePart | null

const json = (url: URL, reader: JsonReader): SourceDocument => ({
  url,
  read: (text) => Either.getOrNull(Either.map(Either.try((): unknown => JSON.parse(text)), reader))
})

/** A path below the address of a page, whether or not that ends with a slash. */
const below = (url: string, path: string): URL => new URL(`${withoutTrailing(url, "/")}${path}`)

const feed = (url: string, current: boolean): ReadonlyArray<SourceDocument> => [
  { url: new URL(url), read: (text, now) => feedPart(text, now, current) }
]

const documents: Readonly<Record<SourceKind, (url: string) => ReadonlyArray<SourceDocument>>> = {
  statuspage: (url) => [
    json(below(url, "/api/v2/summary.json"), statuspagePart),
    json(below(url, "/api/v2/incidents.json"), statuspagePart)
  ],
  instatus: (url) => [json(below(url, "/summary.json"), instatusPart), json(below(url, "/v2/components.json"), instatusPart)],
  statusio: (url) => [json(new URL(url), statusIoPart)],
  rss: (url) => feed(url, false),
  azure: (url) => feed(url, true),
  aws: (url) => [json(new URL(url), awsPart)],
  gcp: (url) => [json(new URL(url), gcpPart)]
}

export const documentsOf = ({ kind, url }: { readonly kind: SourceKind; readonly url: string }): ReadonlyArray<SourceDocument> =>
  documents[kind](url)
