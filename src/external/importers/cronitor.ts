/** Cronitor: its configuration in YAML, or the JSON of its interface. */
import { Effect, Predicate } from "effect"
import { cronitorInventory, isCronitor } from "../../domain/import/cronitor/CronitorInventory.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { documentValue } from "../document/ReadDocument.ts"
import { documentProblem, type Importer, requireDocument, unreadable } from "../import/Importer.ts"

export const cronitor: Importer = {
  source: "cronitor",
  service: "Cronitor",
  reads: ["document"],
  refusal: requireDocument("the configuration of Cronitor in YAML, or the JSON of GET /api/monitors"),
  read: Effect.fn("Importers.cronitor")(function*({ document }) {
    const value = yield* Effect.mapError(documentValue(document ?? {}), documentProblem)
    return Predicate.isRecord(value) && isCronitor(value)
      ? yield* overTurns(cronitorInventory(value))
      : yield* unreadable("This is no configuration of Cronitor: it has no jobs, heartbeats, checks or monitors")
  })
}
