/** The handlers of all groups in the registry. If one is missing here, Deployment does not compile. */
import { Layer } from "effect"
import { AuditLive } from "./access/Audit.ts"
import { AlertsLive } from "./alert/Alerts.ts"
import { BillingLive } from "./billing/Billing.ts"
import { ComponentsLive } from "./component/Components.ts"
import { DeploysLive } from "./deploy/Deploys.ts"
import { DigestLive } from "./digest/Digest.ts"
import { EventsLive } from "./event/Events.ts"
import { ImagesLive } from "./image/Images.ts"
import { ImportsLive } from "./import/Imports.ts"
import { IncidentsLive } from "./incident/Incidents.ts"
import { MailServerLive, MailServerSetupLive } from "./mail/MailServer.ts"
import { JobsLive } from "./monitor/Jobs.ts"
import { InsightLive, MonitorsLive } from "./monitor/Monitors.ts"
import { MutesLive } from "./mute/Mutes.ts"
import { DrillsLive, OnCallLive } from "./oncall/OnCall.ts"
import { PagesLive } from "./page/Pages.ts"
import { PublicStatusLive } from "./page/PublicStatus.ts"
import { PagingLive } from "./paging/Paging.ts"
import { MeLive } from "./people/Me.ts"
import { SignInLive } from "./people/SignInGroup.ts"
import { PlansLive } from "./plan/Plans.ts"
import { UpstreamsLive } from "./upstream/Upstreams.ts"
import { AgentsLive } from "./workspace/Agents.ts"
import { WorkspaceLive } from "./workspace/WorkspaceGroup.ts"

export const layer = Layer.mergeAll(
  AgentsLive,
  AlertsLive,
  AuditLive,
  BillingLive,
  ComponentsLive,
  DeploysLive,
  DrillsLive,
  DigestLive,
  EventsLive,
  ImagesLive,
  ImportsLive,
  IncidentsLive,
  InsightLive,
  MailServerLive,
  MailServerSetupLive,
  MeLive,
  MonitorsLive,
  JobsLive,
  MutesLive,
  OnCallLive,
  PagesLive,
  PagingLive,
  PlansLive,
  PublicStatusLive,
  SignInLive,
  UpstreamsLive,
  WorkspaceLive
)
