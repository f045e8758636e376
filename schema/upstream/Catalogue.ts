/** A catalogue of third parties: where each publishes its status, and what its components are called there. */
import { Schema } from "effect"
import { name, optional, text } from "../Fields.ts"
import { Slug } from "../page/Page.ts"
import { webUrl } from "../UrlText.ts"

export const SourceKind = Schema.Literal("statuspage", "instatus", "statusio", "rss", "aws", "gcp", "azure")
export type SourceKind = typeof SourceKind.Type

const webAddress = text(2048).pipe(
  Schema.filter((value) => webUrl(value) !== null || "Expected an http or https URL")
)

const CatalogueComponent = Schema.Struct({
  slug: Slug,
  name: name(120),
  /** Names of the source's components, in any case; none means the whole page. */
  match: Schema.Array(name(200)).pipe(Schema.maxItems(50), Schema.optionalWith({ nullable: true, default: () => [] }))
})
export type CatalogueComponent = typeof CatalogueComponent.Type

export const CatalogueEntry = Schema.Struct({
  service: Slug,
  name: name(120),
  source: Schema.Struct({ kind: SourceKind, url: webAddress }),
  components: optional(Schema.Array(CatalogueComponent).pipe(Schema.maxItems(100))),
  /** The URL of our own request, without credentials. */
  probe: optional(Schema.NullOr(Schema.Struct({ url: webAddress })))
})
export type CatalogueEntry = typeof CatalogueEntry.Type

export const CatalogueFile = Schema.Array(CatalogueEntry).pipe(Schema.maxItems(2000))
