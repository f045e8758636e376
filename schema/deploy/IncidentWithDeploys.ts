/** An incident with the deploys that may have caused it. */
import { Schema } from "effect"
import { Incident } from "../incident/Incident.ts"
import { Deploy } from "./Deploy.ts"

export const IncidentWithDeploys = Schema.Struct({
  ...Incident.fields,
  deploys: Schema.Array(Deploy).annotations({
    description: "The newest 20 deploys from an hour before the incident through its end, newest first",
    examples: [[]]
  })
}).annotations({ identifier: "IncidentWithDeploys" })
export type IncidentWithDeploys = typeof IncidentWithDeploys.Type
