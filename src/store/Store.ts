/** All of the store's services over one database. */
import { Layer } from "effect"
import { Assignments } from "./Assignments.ts"
import { Channels } from "./Channels.ts"
import { CheckPartitions } from "./CheckPartitions.ts"
import { Checks } from "./Checks.ts"
import { Components } from "./Components.ts"
import { Deliveries } from "./Deliveries.ts"
import { EventLog } from "./EventLog.ts"
import { FanOut } from "./FanOut.ts"
import { Incidents } from "./Incidents.ts"
import { Keys } from "./Keys.ts"
import { Monitors } from "./Monitors.ts"
import { MonitorStates } from "./MonitorStates.ts"
import { PageIncidents } from "./PageIncidents.ts"
import { Pages } from "./Pages.ts"
import { RateLimits } from "./RateLimits.ts"
import { Regions } from "./Regions.ts"
import { Spans } from "./Spans.ts"
import { Wakeups } from "./Wakeups.ts"
import { Workspaces } from "./Workspaces.ts"

export const layer = Layer.mergeAll(
  Assignments.Default, CheckPartitions.Default, Checks.Default, Incidents.Default, Keys.Default, MonitorStates.Default,
  RateLimits.Default, Regions.Default, Spans.Default, Workspaces.Default, Channels.Default, Monitors.Default,
  Components.Default, Pages.Default, PageIncidents.Default, Deliveries.Default, FanOut.Default
).pipe(Layer.provideMerge(Layer.mergeAll(EventLog.Default, Wakeups.Default)))
