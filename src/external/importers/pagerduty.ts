/** PagerDuty: schedules and escalation policies, from the answers of its API in one JSON document. */
import { DateTime, Effect } from "effect"
import { recordOf } from "../../domain/import/Loose.ts"
import { pagerDutyInventory } from "../../domain/import/oncall/PagerDutySchedules.ts"
import { documentValue } from "../document/ReadDocument.ts"
import { documentProblem, type Importer, requireDocument, unreadable } from "../import/Importer.ts"

export const pagerduty: Importer = {
  source: "pagerduty",
  service: "PagerDuty",
  reads: ["document"],
  refusal: requireDocument("JSON with schedules, escalation_policies and users, as the API of PagerDuty answers them"),
  read: Effect.fn("Importers.pagerduty")(function*({ document }) {
    const value = yield* Effect.mapError(documentValue(document ?? {}), documentProblem)
    const inventory = pagerDutyInventory(recordOf(value), yield* DateTime.now)
    return inventory.schedules.length + inventory.policies.length + inventory.warnings.length === 0
      ? yield* unreadable("The document has no schedules or escalation policies")
      : inventory
  })
}
