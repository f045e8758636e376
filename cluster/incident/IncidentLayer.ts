/** The incident actors of a runner. */
import { Layer } from "effect"
import { MaintenancePlans } from "../../src/store/incident/MaintenancePlans.ts"
import { IncidentActor } from "./IncidentActor.ts"
import { IncidentWriter } from "./IncidentWriter.ts"

export const incidentActors = Layer.provide(IncidentActor, [IncidentWriter.Default, MaintenancePlans.Default])
