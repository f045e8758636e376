/** The settings of upstreams: the known third parties, and how often their status is read. */
import { Context, Duration, Either, ParseResult, Schema } from "effect"
import { readFileSync } from "node:fs"
import { type CatalogueEntry, CatalogueFile } from "../../../schema/upstream/Catalogue.ts"
import { catalogueOf } from "../../domain/upstream/Catalogue.ts"
import catalogue from "./catalogue.json" with { type: "json" }

/** The built-in catalogue; the operator's own is merged over it. */
export const builtIn = Schema.decodeUnknownSync(CatalogueFile)(catalogue)

const decode = Schema.decodeUnknownEither(Schema.parseJson(CatalogueFile), { onExcessProperty: "error" })

/** Left: the fault of a file that cannot be used. */
export const readCatalogue = (path: string): Either.Either<ReadonlyArray<CatalogueEntry>, string> =>
  Either.try({
    try: () => readFileSync(path, "utf8"),
    catch: () => `must be a file that can be read, not "${path}"`
  }).pipe(
    Either.flatMap((text) =>
      Either.mapLeft(decode(text), (error) => {
        const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
        return `is not a catalogue: ${issue === undefined ? "unreadable" : `${issue.path.join(".")}: ${issue.message}`}`
      })
    )
  )

export const upstreamOptions = (own: ReadonlyArray<CatalogueEntry>, intervalSec: number) => ({
  catalogue: catalogueOf(builtIn, own),
  /** Services of the operator's own catalogue, which are read from the start; the others from the first time that they are asked for. */
  own: own.map(({ service }) => service),
  interval: Duration.seconds(intervalSec)
})

export class UpstreamSettings extends Context.Reference<UpstreamSettings>()("belltower/UpstreamSettings", {
  defaultValue: () => upstreamOptions([], 120)
}) {}
