/** The registry of all operations: REST, OpenAPI and MCP derive from this one value. */
import { HttpApi, OpenApi } from "@effect/platform"
import { wire } from "../Errors.ts"
import { Agents } from "./Agents.ts"
import { Alerts } from "./Alerts.ts"
import { Events } from "./Events.ts"
import { Monitors } from "./Monitors.ts"
import { Components, Pages } from "./Pages.ts"
import { PublicStatus } from "./PublicStatus.ts"

export class Api extends HttpApi.make("belltower")
  .add(Agents)
  .add(Monitors)
  .add(Pages)
  .add(Components)
  .add(Alerts)
  .add(PublicStatus)
  .add(Events)
  .addError(wire.internal)
  .prefix("/api/v1")
  .annotate(OpenApi.Title, "Belltower")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(OpenApi.Description, "Uptime monitoring, status pages and incident communication, for agents and people")
{}
