/** The data of `incident.*` and `maintenance.*` events. */
import { Schema } from "effect"
import { optional } from "../Fields.ts"
import { AiReport } from "../incident/AiReport.ts"
import { Acknowledgement, Incident, IncidentUpdate } from "../incident/Incident.ts"

const change = {
  incident: Incident,
  update: IncidentUpdate,
  manual: optional(
    Schema.Boolean,
    "Whether a person or a client made this change, regardless of who opened the incident; false for the service itself",
    true
  )
}

/** The data of events about the beginning and the progress of an incident or a maintenance window. */
export const IncidentChanged = Schema.Struct(change)

export const IncidentResolved = Schema.Struct({
  ...change,
  durationMinutes: Schema.Int,
  durationText: Schema.String
})

export const IncidentAcknowledged = Schema.Struct({ incident: Incident, ack: Acknowledgement })

export const IncidentUnacknowledged = Schema.Struct({
  incident: Incident,
  by: Schema.String.annotations({ description: "Name of the API key, or email address of the person" })
})

/** Reports that the AI report on a monitor's incident is written; the alert may have gone before. */
export const IncidentAnalyzed = Schema.Struct({
  incident: Incident,
  phase: Schema.Literal("opening", "recovery").annotations({ description: "Whether it is about the beginning or the recovery" }),
  ai: AiReport
})
