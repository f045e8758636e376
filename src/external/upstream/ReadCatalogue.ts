/** The operator's own catalogue of third parties, which is merged over the built-in one. */
import { Duration, Either, ParseResult, Schema } from "effect"
import { readFileSync } from "node:fs"
import { type CatalogueEntry, CatalogueFile } from "../../../schema/upstream/Catalogue.ts"
import { catalogueOf } from "../../domain/upstream/Catalogue.ts"
import { builtIn } from "./BuiltIn.ts"
import type { UpstreamOptions } from "./UpstreamSettings.ts"

const decode = Schema.decodeUnknownEither(Schema.parseJson(CatalogueFile), { onExcessProperty: "error" })

/** Says what is wrong with a file that cannot be used. */
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

export const upstreamOptions = (own: ReadonlyArray<CatalogueEntry>, intervalSec: number): UpstreamOptions => ({
  catalogue: catalogueOf(builtIn, own),
  own: own.map(({ service }) => service),
  interval: Duration.seconds(intervalSec)
})
