/** The layer of all use cases, over the store and the cluster. Every surface calls these. */
import { Layer } from "effect"
import { WatchAccess } from "./access/WatchAccess.ts"
import * as AccountOperations from "./AccountOperations.ts"
import { LeaveChannel } from "./alert/LeaveChannel.ts"
import { ManageChannels } from "./alert/ManageChannels.ts"
import { ManageDeliveries } from "./alert/ManageDeliveries.ts"
import { TakeChatPresses } from "./chat/TakeChatPresses.ts"
import { FindCheck } from "./check/FindCheck.ts"
import { PreviewCheck } from "./check/PreviewCheck.ts"
import { ReadMonitorHistory } from "./check/ReadMonitorHistory.ts"
import { ReadRegions } from "./check/ReadRegions.ts"
import { RunCheck } from "./check/RunCheck.ts"
import { ManageComponents } from "./component/ManageComponents.ts"
import { TakePush } from "./component/TakePush.ts"
import { ManageDeploys } from "./deploy/ManageDeploys.ts"
import { ManageDigest } from "./digest/ManageDigest.ts"
import { RunDrills } from "./drill/RunDrills.ts"
import { FollowEvents } from "./event/FollowEvents.ts"
import { ReadEvents } from "./event/ReadEvents.ts"
import { StreamTokens } from "./event/StreamTokens.ts"
import { ManageImages } from "./image/ManageImages.ts"
import { OpenImage } from "./image/OpenImage.ts"
import { RunImports } from "./import/RunImports.ts"
import { AcknowledgeIncident } from "./incident/AcknowledgeIncident.ts"
import { AnalyzeIncident } from "./incident/AnalyzeIncident.ts"
import { ManagePostmortems } from "./incident/ManagePostmortems.ts"
import { ManageTemplates } from "./incident/ManageTemplates.ts"
import { OpenIncident } from "./incident/OpenIncident.ts"
import { PassOnIncident } from "./incident/PassOnIncident.ts"
import { ReadIncidents } from "./incident/ReadIncidents.ts"
import { UpdateIncident } from "./incident/UpdateIncident.ts"
import { ManageMailServer } from "./mail/ManageMailServer.ts"
import { CreateService } from "./monitor/CreateService.ts"
import { ExplainMonitor } from "./monitor/ExplainMonitor.ts"
import { ManageMonitors } from "./monitor/ManageMonitors.ts"
import { ManagePingKey } from "./monitor/ManagePingKey.ts"
import { ManyMonitors } from "./monitor/ManyMonitors.ts"
import { ReadMonitorMetrics } from "./monitor/ReadMonitorMetrics.ts"
import { ReadMonitors } from "./monitor/ReadMonitors.ts"
import { ReadMonitorUptime } from "./monitor/ReadMonitorUptime.ts"
import { ReadRuns } from "./monitor/ReadRuns.ts"
import { SimulateMonitor } from "./monitor/SimulateMonitor.ts"
import { TakeMails } from "./monitor/TakeMails.ts"
import { TakePings } from "./monitor/TakePings.ts"
import { WaitForMonitor } from "./monitor/WaitForMonitor.ts"
import { ManageMutes } from "./mute/ManageMutes.ts"
import { AskForAccess } from "./oauth/AskForAccess.ts"
import { ExchangeTokens } from "./oauth/ExchangeTokens.ts"
import { KnownApps } from "./oauth/KnownApps.ts"
import { ManagePolicies } from "./oncall/ManagePolicies.ts"
import { ManageSchedules } from "./oncall/ManageSchedules.ts"
import { ManageShifts } from "./oncall/ManageShifts.ts"
import { ReadOnCall } from "./oncall/ReadOnCall.ts"
import { ChangePage } from "./page/ChangePage.ts"
import { DraftPage } from "./page/DraftPage.ts"
import { ManagePages } from "./page/ManagePages.ts"
import { OpenPage } from "./page/OpenPage.ts"
import { PublicIncidents } from "./page/PublicIncidents.ts"
import { PublicPages } from "./page/PublicPages.ts"
import { PublicResponseTimes } from "./page/PublicResponseTimes.ts"
import { VerifyDomain } from "./page/VerifyDomain.ts"
import { ManageContactWays } from "./paging/ManageContactWays.ts"
import { ManagePagingRules } from "./paging/ManagePagingRules.ts"
import { ReadPagings } from "./paging/ReadPagings.ts"
import { TakePhoneNews } from "./paging/TakePhoneNews.ts"
import { ExportWorkspace } from "./plan/ExportWorkspace.ts"
import { ManagePlans } from "./plan/ManagePlans.ts"
import { EnrolProbe } from "./probe/EnrolProbe.ts"
import { ManageSubscribers } from "./subscriber/ManageSubscribers.ts"
import { ManageSubscription } from "./subscriber/ManageSubscription.ts"
import { Subscribe } from "./subscriber/Subscribe.ts"
import { FollowUpstream } from "./upstream/FollowUpstream.ts"
import { ReadUpstream } from "./upstream/ReadUpstream.ts"
import { WarnOfDuplicates } from "./WarnOfDuplicates.ts"

/** Use cases that others, such as plans and imports, are made of. */
const shared = Layer.mergeAll(
  ChangePage.Default,
  DraftPage.Default,
  ManageChannels.Default,
  ManageComponents.Default,
  ManageMonitors.Default,
  ManagePingKey.Default,
  ReadRuns.Default,
  ManyMonitors.Default,
  ManagePages.Default,
  ManagePolicies.Default,
  ManageSchedules.Default,
  ManageShifts.Default,
  ManageTemplates.Default,
  WarnOfDuplicates.Default
)

export const layer = Layer.mergeAll(
  AcknowledgeIncident.Default,
  AnalyzeIncident.Default,
  Layer.provideMerge(Layer.merge(AskForAccess.Default, ExchangeTokens.Default), KnownApps.Default),
  CreateService.Default,
  EnrolProbe.Default,
  ExplainMonitor.Default,
  ExportWorkspace.Default,
  FindCheck.Default,
  FollowEvents.Default,
  LeaveChannel.Default,
  ManageContactWays.Default,
  ManageDeliveries.Default,
  ManageDeploys.Default,
  ManageDigest.Default,
  RunDrills.Default,
  ManageImages.Default,
  ManageMailServer.Default,
  ManageMutes.Default,
  ManagePagingRules.Default,
  ManagePlans.Default,
  ManagePostmortems.Default,
  ManageSubscribers.Default,
  ManageSubscription.Default,
  OpenImage.Default,
  OpenIncident.Default,
  OpenPage.Default,
  PassOnIncident.Default,
  PreviewCheck.Default,
  PublicIncidents.Default,
  PublicPages.Default,
  PublicResponseTimes.Default,
  ReadEvents.Default,
  ReadIncidents.Default,
  ReadMonitorMetrics.Default,
  SimulateMonitor.Default,
  ReadMonitorHistory.Default,
  ReadMonitorUptime.Default,
  ReadRegions.Default,
  ReadMonitors.Default,
  ReadOnCall.Default,
  ReadPagings.Default,
  RunCheck.Default,
  StreamTokens.Default,
  RunImports.Default,
  Subscribe.Default,
  TakeChatPresses.Default,
  TakePhoneNews.Default,
  TakeMails.Default.pipe(Layer.provideMerge(TakePings.Default)),
  TakePush.Default,
  UpdateIncident.Default,
  FollowUpstream.Default.pipe(Layer.provideMerge(ReadUpstream.Default)),
  VerifyDomain.Default,
  WaitForMonitor.Default,
  WatchAccess.Default
).pipe(Layer.provideMerge(shared), Layer.provideMerge(AccountOperations.layer))
