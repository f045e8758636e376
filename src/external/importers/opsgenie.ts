/** Opsgenie: schedules and escalation policies, from the answers of its API in one JSON document. */
import { DateTime, Effect } from "effect"
import { recordOf } from "../../domain/import/Loose.ts"
import { opsgenieInventory } from "../../domain/import/oncall/OpsgenieSchedules.ts"
import { documentValue } from "../document/ReadDocument.ts"
import { documentProblem, type Importer, requireDocument, unreadable } from "../import/Importer.ts"

export const opsgenie: Importer = {
  source: "opsgenie",
  service: "Opsgenie",
  reads: ["document"],
  refusal: requireDocument("JSON with schedules, escalations and users, as the API of Opsgenie answers them"),
  read: Effect.fn("Importers.opsgenie")(function*({ document }) {
    const value = yield* Effect.mapError(documentValue(document ?? {}), documentProblem)
    const inventory = opsgenieInventory(recordOf(value), yield* DateTime.now)
    return inventory.schedules.length + inventory.policies.length + inventory.warnings.length === 0
      ? yield* unreadable("The document has no schedules or escalation policies")
      : inventory
  })
}
