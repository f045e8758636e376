/** The handlers of all groups in the registry. If one is missing here, Deployment does not compile. */
import { Layer } from "effect"
import { AuditLive } from "./access/Audit.ts"
import { AlertsLive } from "./alert/Alerts.ts"
import { BillingLive } from "./billing/Billing.ts"
import { ComponentsLive } from "./component/Components.ts"
import { EventsLive } from "./event/Events.ts"
import { IncidentsLive } from "./incident/Incidents.ts"
import { MonitorsLive } from "./monitor/Monitors.ts"
import { PagesLive } from "./page/Pages.ts"
import { PublicStatusLive } from "./page/PublicStatus.ts"
import { MeLive } from "./people/Me.ts"
import { SignInLive } from "./people/SignInGroup.ts"
import { AgentsLive } from "./workspace/Agents.ts"
import { WorkspaceLive } from "./workspace/WorkspaceGroup.ts"

export const layer = Layer.mergeAll(
  AgentsLive,
  AlertsLive,
  AuditLive,
  BillingLive,
  ComponentsLive,
  EventsLive,
  IncidentsLive,
  MeLive,
  MonitorsLive,
  PagesLive,
  PublicStatusLive,
  SignInLive,
  WorkspaceLive
)
