/** The monitor actors of a runner, and the loops that keep monitors assigned and watched. */
import { Layer } from "effect"
import { MonitorAnnouncer } from "../../src/services/monitor/MonitorAnnouncer.ts"
import { AssignmentPublisher } from "./AssignmentPublisher.ts"
import { LocalActors } from "./LocalActors.ts"
import { MonitorActor } from "./MonitorActor.ts"
import { MonitoringWatchdog } from "./MonitoringWatchdog.ts"
import { RoundClock } from "./RoundClock.ts"
import { RoundUpkeep } from "./RoundUpkeep.ts"
import { UnreportedRegions } from "./UnreportedRegions.ts"

/** With the registries that the consumer of checks uses to reach the actors of this runner. */
export const monitorActors = MonitorActor.pipe(
  Layer.provideMerge(Layer.mergeAll(RoundClock.layer, LocalActors.layer, UnreportedRegions.layer)),
  Layer.provide(MonitorAnnouncer.Default)
)

export const monitorLoops = Layer.mergeAll(AssignmentPublisher, RoundUpkeep, MonitoringWatchdog)
