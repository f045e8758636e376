/** Grafana OnCall: schedules and escalation policies, from the answers of its API in one JSON document. */
import { DateTime, Effect } from "effect"
import { recordOf } from "../../domain/import/Loose.ts"
import { grafanaInventory } from "../../domain/import/oncall/GrafanaSchedules.ts"
import { documentValue } from "../document/ReadDocument.ts"
import { documentProblem, type Importer, requireDocument, unreadable } from "../import/Importer.ts"

export const grafanaoncall: Importer = {
  source: "grafanaoncall",
  service: "Grafana OnCall",
  reads: ["document"],
  refusal: requireDocument(
    "JSON with schedules, on_call_shifts, escalation_chains, escalation_policies and users, as the API of Grafana OnCall answers them"
  ),
  read: Effect.fn("Importers.grafanaoncall")(function*({ document }) {
    const value = yield* Effect.mapError(documentValue(document ?? {}), documentProblem)
    const inventory = grafanaInventory(recordOf(value), yield* DateTime.now)
    return inventory.schedules.length + inventory.policies.length + inventory.warnings.length === 0
      ? yield* unreadable("The document has no schedules or escalation policies")
      : inventory
  })
}
