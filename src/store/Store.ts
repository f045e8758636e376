/** All services of the store on one database. */
import { Layer } from "effect"
import { AccessEnded } from "./access/AccessEnded.ts"
import { AuditLog } from "./access/AuditLog.ts"
import { EndedMcpSessions } from "./access/EndedMcpSessions.ts"
import { IdempotentRequests } from "./access/IdempotentRequests.ts"
import { Keys } from "./access/Keys.ts"
import { RateLimits } from "./access/RateLimits.ts"
import { AlarmClaims } from "./AlarmClaims.ts"
import { Alarms } from "./Alarms.ts"
import { AlertedChannels } from "./alert/AlertedChannels.ts"
import { AlertGroups } from "./alert/AlertGroups.ts"
import { AlertStreaks } from "./alert/AlertStreaks.ts"
import { Channels } from "./alert/Channels.ts"
import { Deliveries } from "./alert/Deliveries.ts"
import { DeliveryQueues } from "./alert/DeliveryQueues.ts"
import { DeliveryResults } from "./alert/DeliveryResults.ts"
import { FanOutRows } from "./alert/FanOutRows.ts"
import { KeptBackTroubles } from "./alert/KeptBackTroubles.ts"
import { MutedMonitors } from "./alert/MutedMonitors.ts"
import { Mutes } from "./alert/Mutes.ts"
import { QuietAlerts } from "./alert/QuietAlerts.ts"
import { StandingAcknowledgements } from "./alert/StandingAcknowledgements.ts"
import { Backlog } from "./Backlog.ts"
import { Subscriptions } from "./billing/Subscriptions.ts"
import { CheckPartitions } from "./check/CheckPartitions.ts"
import { CheckRollups } from "./check/CheckRollups.ts"
import { Checks } from "./check/Checks.ts"
import { CompactChecks } from "./check/CompactChecks.ts"
import { CompactionRounds } from "./check/CompactionRounds.ts"
import { EvidenceUsage } from "./check/EvidenceUsage.ts"
import { LatencyTrends } from "./check/LatencyTrends.ts"
import { RegionChecks } from "./check/RegionChecks.ts"
import { Regions } from "./check/Regions.ts"
import { ResultOffsets } from "./check/ResultOffsets.ts"
import { Components } from "./component/Components.ts"
import { ComponentSpans } from "./component/ComponentSpans.ts"
import { ComponentStates } from "./component/ComponentStates.ts"
import { ComponentWakeups } from "./component/ComponentWakeups.ts"
import { ManifestReports } from "./component/ManifestReports.ts"
import { DeadmanPings } from "./DeadmanPings.ts"
import { Deploys } from "./deploy/Deploys.ts"
import { Digests } from "./digest/Digests.ts"
import { Drills } from "./drill/Drills.ts"
import { Duplicates } from "./Duplicates.ts"
import { EventLog } from "./event/EventLog.ts"
import { ExpiredHistory } from "./event/ExpiredHistory.ts"
import { Images } from "./image/Images.ts"
import { AcknowledgeTokens } from "./incident/AcknowledgeTokens.ts"
import { IncidentComponents } from "./incident/IncidentComponents.ts"
import { Incidents } from "./incident/Incidents.ts"
import { IncidentTemplates } from "./incident/IncidentTemplates.ts"
import { PageIncidents } from "./incident/PageIncidents.ts"
import { Postmortems } from "./incident/Postmortems.ts"
import * as MailSetup from "./mail/MailSetup.ts"
import { Assignments } from "./monitor/Assignments.ts"
import { Heartbeats } from "./monitor/Heartbeats.ts"
import { JobRuns } from "./monitor/JobRuns.ts"
import { Listening } from "./monitor/Listening.ts"
import { MonitorFigures } from "./monitor/MonitorFigures.ts"
import { MonitorPages } from "./monitor/MonitorPages.ts"
import { Monitors } from "./monitor/Monitors.ts"
import { MonitorStates } from "./monitor/MonitorStates.ts"
import { NewMonitorDefaults } from "./monitor/NewMonitorDefaults.ts"
import { OverdueMonitors } from "./monitor/OverdueMonitors.ts"
import { PingKeys } from "./monitor/PingKeys.ts"
import { PingLog } from "./monitor/PingLog.ts"
import { PublishedPartitions } from "./monitor/PublishedPartitions.ts"
import { Spans } from "./monitor/Spans.ts"
import { StateTrends } from "./monitor/StateTrends.ts"
import { Grants } from "./oauth/Grants.ts"
import { OAuthClients } from "./oauth/OAuthClients.ts"
import { OAuthRequests } from "./oauth/OAuthRequests.ts"
import { IncidentAlerting } from "./oncall/IncidentAlerting.ts"
import { OnCallPeople } from "./oncall/OnCallPeople.ts"
import { Policies } from "./oncall/Policies.ts"
import { Schedules } from "./oncall/Schedules.ts"
import { Pages } from "./page/Pages.ts"
import { ContactWays } from "./paging/ContactWays.ts"
import { PagingResults } from "./paging/PagingResults.ts"
import { PagingRulesRows } from "./paging/PagingRulesRows.ts"
import { Pagings } from "./paging/Pagings.ts"
import { PhonePages } from "./paging/PhonePages.ts"
import * as People from "./people/People.ts"
import { DatabaseClock } from "./postgres/DatabaseClock.ts"
import { Wakeups } from "./postgres/Wakeups.ts"
import { Probes } from "./probe/Probes.ts"
import { Broadcasts } from "./subscriber/Broadcasts.ts"
import { Subscribers } from "./subscriber/Subscribers.ts"
import { LikelyCauses } from "./upstream/LikelyCauses.ts"
import { UpstreamAlerts } from "./upstream/UpstreamAlerts.ts"
import { Upstreams } from "./upstream/Upstreams.ts"
import { DeletedWorkspaces } from "./workspace/DeletedWorkspaces.ts"
import { Members } from "./workspace/Members.ts"
import { Quotas } from "./workspace/Quotas.ts"
import { WorkspaceRemoval } from "./workspace/WorkspaceRemoval.ts"
import { Workspaces } from "./workspace/Workspaces.ts"

export const layer = Layer.mergeAll(
  Assignments.Default,
  PublishedPartitions.Default,
  AuditLog.Default,
  Backlog.Default,
  DeadmanPings.Default,
  OverdueMonitors.Default,
  IdempotentRequests.Default,
  CheckPartitions.Default,
  CheckRollups.Default,
  Checks.Default,
  CompactChecks.Default,
  CompactionRounds.Default,
  EvidenceUsage.Default,
  ExpiredHistory.Default,
  LatencyTrends.Default,
  StateTrends.Default,
  AcknowledgeTokens.Default,
  Incidents.Default,
  IncidentComponents.Default,
  IncidentTemplates.Default,
  Postmortems.Default,
  Keys.Default,
  Duplicates.Default,
  MonitorStates.Default,
  RateLimits.Default,
  RegionChecks.Default,
  Regions.Default,
  ResultOffsets.Default,
  Spans.Default,
  Workspaces.Default,
  Channels.Default,
  Monitors.Default,
  MonitorFigures.Default,
  MonitorPages.Default,
  MutedMonitors.Default,
  Mutes.Default,
  Images.Default,
  NewMonitorDefaults.Default,
  AlarmClaims.Default,
  Alarms.Default,
  JobRuns.Default,
  Listening.Default,
  Heartbeats.Default,
  PingKeys.Default,
  PingLog.Default,
  Components.Default,
  ManifestReports.Default,
  ComponentSpans.Default,
  ComponentStates.Default,
  ComponentWakeups.Default,
  Members.Default,
  Quotas.Default,
  Subscriptions.Default,
  DeletedWorkspaces.Default,
  WorkspaceRemoval.Default,
  IncidentAlerting.Default,
  OnCallPeople.Default,
  ContactWays.Default,
  PagingResults.Default,
  PhonePages.Default,
  PagingRulesRows.Default,
  Pagings.Default,
  Policies.Default,
  Probes.Default,
  Schedules.Default,
  Pages.Default,
  PageIncidents.Default,
  Subscribers.Default,
  Broadcasts.Default,
  Deliveries.Default,
  Deploys.Default,
  Digests.Default,
  LikelyCauses.Default,
  UpstreamAlerts.Default,
  Upstreams.Default,
  Drills.Default,
  DeliveryQueues.Default,
  DeliveryResults.Default,
  FanOutRows.Default,
  EndedMcpSessions.Default,
  Grants.Default,
  OAuthClients.Default,
  OAuthRequests.Default,
  People.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(AccessEnded.Default, AlertedChannels.Default, AlertGroups.Default)),
  Layer.provideMerge(
    Layer.mergeAll(AlertStreaks.Default, KeptBackTroubles.Default, QuietAlerts.Default, StandingAcknowledgements.Default)
  ),
  Layer.provideMerge(MailSetup.layer),
  Layer.provideMerge(Layer.mergeAll(DatabaseClock.Default, EventLog.Default, Wakeups.Default))
)
