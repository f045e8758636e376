/** The registry of all operations: REST, OpenAPI and MCP derive from this one value. */
import { HttpApi, OpenApi } from "@effect/platform"
import { wire } from "../Errors.ts"
import { Agents } from "./Agents.ts"
import { Alerts } from "./Alerts.ts"
import { Audit } from "./Audit.ts"
import { Billing } from "./Billing.ts"
import { Events } from "./Events.ts"
import { Incidents } from "./Incidents.ts"
import { Me, SignIn } from "./Me.ts"
import { Monitors } from "./Monitors.ts"
import { Components, Pages } from "./Pages.ts"
import { PublicStatus } from "./PublicStatus.ts"
import { Workspace } from "./Workspace.ts"

export class Api extends HttpApi.make("belltower")
  .add(Agents)
  .add(Monitors)
  .add(Pages)
  .add(Components)
  .add(Incidents)
  .add(Alerts)
  .add(PublicStatus)
  .add(Workspace)
  .add(Events)
  .add(Audit)
  .add(Billing)
  .add(SignIn)
  .add(Me)
  .addError(wire.internal)
  .prefix("/api/v1")
  .annotate(OpenApi.Title, "Belltower")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(OpenApi.License, { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" })
  .annotate(OpenApi.Description, "Uptime monitoring, status pages and incident communication, for agents and people")
{}
