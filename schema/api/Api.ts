/** The registry of all operations: REST, OpenAPI and MCP derive from this one value. */
import { HttpApi, OpenApi } from "@effect/platform"
import { wire } from "../Errors.ts"
import { Agents } from "./Agents.ts"
import { Alerts } from "./Alerts.ts"
import { Audit } from "./Audit.ts"
import { Billing } from "./Billing.ts"
import { Deploys } from "./Deploys.ts"
import { DigestGroup } from "./Digest.ts"
import { Drills } from "./Drills.ts"
import { Events } from "./Events.ts"
import { Images } from "./Images.ts"
import { Imports } from "./Imports.ts"
import { Incidents } from "./Incidents.ts"
import { Insight } from "./Insight.ts"
import { Jobs } from "./Jobs.ts"
import { MailServerGroup, MailServerSetupGroup } from "./MailServer.ts"
import { Me, SignIn } from "./Me.ts"
import { Monitors } from "./Monitors.ts"
import { Mutes } from "./Mutes.ts"
import { OnCall } from "./OnCall.ts"
import { Components, Pages } from "./Pages.ts"
import { Paging } from "./Paging.ts"
import { Plans } from "./Plans.ts"
import { PublicStatus } from "./PublicStatus.ts"
import { Upstreams } from "./Upstreams.ts"
import { Workspace } from "./Workspace.ts"

export class Api extends HttpApi.make("belltower")
  .add(Agents)
  .add(Monitors)
  .add(Jobs)
  .add(Insight)
  .add(Pages)
  .add(Components)
  .add(Incidents)
  .add(Alerts)
  .add(Images)
  .add(Mutes)
  .add(PublicStatus)
  .add(Upstreams)
  .add(Workspace)
  .add(Events)
  .add(Imports)
  .add(Plans)
  .add(Audit)
  .add(Billing)
  .add(OnCall)
  .add(Paging)
  .add(Deploys)
  .add(Drills)
  .add(DigestGroup)
  .add(MailServerGroup)
  .add(MailServerSetupGroup)
  .add(SignIn)
  .add(Me)
  .addError(wire.internal)
  .prefix("/api/v1")
  .annotate(OpenApi.Title, "Belltower")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(OpenApi.License, { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" })
  .annotate(OpenApi.Description, "Uptime monitoring, status pages and incident communication, for agents and people")
{}
