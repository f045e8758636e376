/** The data of `incident.*` events. */
import { Schema } from "effect"
import { Incident, IncidentUpdate } from "../incident/Incident.ts"

export const IncidentCreated = Schema.Struct({ incident: Incident, update: IncidentUpdate })

export const IncidentUpdated = Schema.Struct({ incident: Incident, update: IncidentUpdate })

export const IncidentResolved = Schema.Struct({
  incident: Incident,
  update: IncidentUpdate,
  durationMinutes: Schema.Int,
  durationText: Schema.String
})
