/** All services of the store on one database. */
import { Layer } from "effect"
import { AccessEnded } from "./access/AccessEnded.ts"
import { AuditLog } from "./access/AuditLog.ts"
import { EndedMcpSessions } from "./access/EndedMcpSessions.ts"
import { IdempotentRequests } from "./access/IdempotentRequests.ts"
import { Keys } from "./access/Keys.ts"
import { RateLimits } from "./access/RateLimits.ts"
import { Alarms } from "./Alarms.ts"
import { AlertedChannels } from "./alert/AlertedChannels.ts"
import { Channels } from "./alert/Channels.ts"
import { Deliveries } from "./alert/Deliveries.ts"
import { DeliveryQueues } from "./alert/DeliveryQueues.ts"
import { DeliveryResults } from "./alert/DeliveryResults.ts"
import { FanOut } from "./alert/FanOut.ts"
import { Backlog } from "./Backlog.ts"
import { Subscriptions } from "./billing/Subscriptions.ts"
import { CheckPartitions } from "./check/CheckPartitions.ts"
import { Checks } from "./check/Checks.ts"
import { EvidenceUsage } from "./check/EvidenceUsage.ts"
import { Regions } from "./check/Regions.ts"
import { ResultOffsets } from "./check/ResultOffsets.ts"
import { Components } from "./component/Components.ts"
import { ComponentSpans } from "./component/ComponentSpans.ts"
import { ComponentStates } from "./component/ComponentStates.ts"
import { ComponentWakeups } from "./component/ComponentWakeups.ts"
import { EventLog } from "./event/EventLog.ts"
import { IncidentComponents } from "./incident/IncidentComponents.ts"
import { IncidentLists } from "./incident/IncidentLists.ts"
import { Incidents } from "./incident/Incidents.ts"
import { IncidentTemplates } from "./incident/IncidentTemplates.ts"
import { PageIncidents } from "./incident/PageIncidents.ts"
import { Postmortems } from "./incident/Postmortems.ts"
import { Assignments } from "./monitor/Assignments.ts"
import { Heartbeats } from "./monitor/Heartbeats.ts"
import { Listening } from "./monitor/Listening.ts"
import { MonitorPages } from "./monitor/MonitorPages.ts"
import { Monitors } from "./monitor/Monitors.ts"
import { MonitorStates } from "./monitor/MonitorStates.ts"
import { OverdueMonitors } from "./monitor/OverdueMonitors.ts"
import { PingLog } from "./monitor/PingLog.ts"
import { Spans } from "./monitor/Spans.ts"
import { Pages } from "./page/Pages.ts"
import * as People from "./people/People.ts"
import { DatabaseClock } from "./postgres/DatabaseClock.ts"
import { Wakeups } from "./postgres/Wakeups.ts"
import { Members } from "./workspace/Members.ts"
import { Quotas } from "./workspace/Quotas.ts"
import { WorkspaceRemoval } from "./workspace/WorkspaceRemoval.ts"
import { Workspaces } from "./workspace/Workspaces.ts"

export const layer = Layer.mergeAll(
  Assignments.Default,
  AuditLog.Default,
  Backlog.Default,
  OverdueMonitors.Default,
  IdempotentRequests.Default,
  CheckPartitions.Default,
  Checks.Default,
  EvidenceUsage.Default,
  Incidents.Default,
  IncidentComponents.Default,
  IncidentLists.Default,
  IncidentTemplates.Default,
  Postmortems.Default,
  Keys.Default,
  MonitorStates.Default,
  RateLimits.Default,
  Regions.Default,
  ResultOffsets.Default,
  Spans.Default,
  Workspaces.Default,
  Channels.Default,
  Monitors.Default,
  MonitorPages.Default,
  Alarms.Default,
  Listening.Default,
  Heartbeats.Default,
  PingLog.Default,
  Components.Default,
  ComponentSpans.Default,
  ComponentStates.Default,
  ComponentWakeups.Default,
  Members.Default,
  Quotas.Default,
  Subscriptions.Default,
  WorkspaceRemoval.Default,
  Pages.Default,
  PageIncidents.Default,
  Deliveries.Default,
  DeliveryQueues.Default,
  DeliveryResults.Default,
  FanOut.Default,
  EndedMcpSessions.Default,
  People.layer
).pipe(
  Layer.provideMerge(Layer.merge(AccessEnded.Default, AlertedChannels.Default)),
  Layer.provideMerge(Layer.mergeAll(DatabaseClock.Default, EventLog.Default, Wakeups.Default))
)
