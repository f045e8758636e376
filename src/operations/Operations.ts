/** The layer of all use cases, over the store and the cluster. Every surface calls these. */
import { Layer } from "effect"
import { WatchAccess } from "./access/WatchAccess.ts"
import * as AccountOperations from "./AccountOperations.ts"
import { ManageChannels } from "./alert/ManageChannels.ts"
import { FindCheck } from "./check/FindCheck.ts"
import { ListRegions } from "./check/ListRegions.ts"
import { RunCheck } from "./check/RunCheck.ts"
import { ManageComponents } from "./component/ManageComponents.ts"
import { TakePush } from "./component/TakePush.ts"
import { FollowEvents } from "./event/FollowEvents.ts"
import { ReadEvents } from "./event/ReadEvents.ts"
import { AcknowledgeIncident } from "./incident/AcknowledgeIncident.ts"
import { AnalyzeIncident } from "./incident/AnalyzeIncident.ts"
import { ManagePostmortems } from "./incident/ManagePostmortems.ts"
import { ManageTemplates } from "./incident/ManageTemplates.ts"
import { OpenIncident } from "./incident/OpenIncident.ts"
import { ReadIncidents } from "./incident/ReadIncidents.ts"
import { UpdateIncident } from "./incident/UpdateIncident.ts"
import { CreateService } from "./monitor/CreateService.ts"
import { ManageMonitors } from "./monitor/ManageMonitors.ts"
import { ReadMonitors } from "./monitor/ReadMonitors.ts"
import { TakePings } from "./monitor/TakePings.ts"
import { ManagePages } from "./page/ManagePages.ts"
import { PublicPages } from "./page/PublicPages.ts"
import { ReadHome } from "./workspace/ReadHome.ts"

export const layer = Layer.mergeAll(
  AcknowledgeIncident.Default,
  AnalyzeIncident.Default,
  CreateService.Default,
  FindCheck.Default,
  FollowEvents.Default,
  ListRegions.Default,
  ManageChannels.Default,
  ManageComponents.Default,
  ManageMonitors.Default,
  ManagePages.Default,
  ManagePostmortems.Default,
  ManageTemplates.Default,
  OpenIncident.Default,
  PublicPages.Default,
  ReadEvents.Default,
  ReadHome.Default,
  ReadIncidents.Default,
  ReadMonitors.Default,
  RunCheck.Default,
  TakePings.Default,
  TakePush.Default,
  UpdateIncident.Default,
  WatchAccess.Default
).pipe(Layer.provideMerge(AccountOperations.layer))
