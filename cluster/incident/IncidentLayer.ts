/** The incident actors of a runner. */
import { Layer } from "effect"
import { IncidentWriter } from "../../src/services/incident/IncidentWriter.ts"
import { MaintenancePlans } from "../../src/store/incident/MaintenancePlans.ts"
import { OutagesInMaintenance } from "../../src/store/incident/OutagesInMaintenance.ts"
import { Followers } from "../../src/store/monitor/Followers.ts"
import { IncidentActor } from "./IncidentActor.ts"

export const incidentActors = Layer.provide(IncidentActor, [
  Followers.Default,
  IncidentWriter.Default,
  MaintenancePlans.Default,
  OutagesInMaintenance.Default
])
