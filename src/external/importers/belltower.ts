/** Belltower itself: the document that an export of another workspace wrote. */
import { DateTime, Effect } from "effect"
import { documentInventory } from "../../domain/import/belltower/DocumentInventory.ts"
import { readDocument } from "../document/ReadDocument.ts"
import { documentProblem, type Importer, requireDocument } from "../import/Importer.ts"

export const belltower: Importer = {
  source: "belltower",
  service: "Belltower",
  reads: ["document"],
  refusal: requireDocument("the answer of GET /api/v1/export"),
  read: Effect.fn("Importers.belltower")(function*({ document }) {
    return documentInventory(yield* Effect.mapError(readDocument(document ?? {}), documentProblem), yield* DateTime.now)
  })
}
