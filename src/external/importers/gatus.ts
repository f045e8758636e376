/** Gatus: its configuration file. */
import { Effect, Predicate } from "effect"
import { gatusInventory } from "../../domain/import/gatus/GatusInventory.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { documentValue } from "../document/ReadDocument.ts"
import { documentProblem, type Importer, requireDocument, unreadable } from "../import/Importer.ts"

export const gatus: Importer = {
  source: "gatus",
  service: "Gatus",
  reads: ["document"],
  refusal: requireDocument("the configuration of Gatus in YAML"),
  read: Effect.fn("Importers.gatus")(function*({ document }) {
    const value = yield* Effect.mapError(documentValue(document ?? {}), documentProblem)
    return Predicate.isRecord(value) && ("endpoints" in value || "services" in value || "external-endpoints" in value)
      ? yield* overTurns(gatusInventory(value))
      : yield* unreadable("This is no configuration of Gatus: it has no endpoints")
  })
}
