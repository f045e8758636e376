/** What a runner does: hosts the actors, takes in check results, tells probes of edits, and tells the channels. */
import { Layer } from "effect"
import { AssignmentPublisher } from "./AssignmentPublisher.ts"
import { CheckConsumer } from "./CheckConsumer.ts"
import { CheckUpkeep } from "./CheckUpkeep.ts"
import { CheckWriter } from "./CheckWriter.ts"
import { LiveChecks } from "./LiveChecks.ts"
import { AwakeActors } from "./monitor/AwakeActors.ts"
import { MonitorActor } from "./monitor/MonitorActor.ts"
import { MonitorNews } from "./monitor/MonitorNews.ts"
import { Notifier } from "./Notifier.ts"
import { RoundClock } from "./RoundClock.ts"

/** Closes from the outside in: results stop coming, what is in hand is written, then the actors go. */
export const layer = Layer.mergeAll(CheckConsumer, AssignmentPublisher, CheckUpkeep, Notifier).pipe(
  Layer.provide(CheckWriter.layer),
  Layer.provide(LiveChecks.layer),
  Layer.provideMerge(MonitorActor),
  Layer.provide([RoundClock.layer, AwakeActors.layer]),
  Layer.provide(MonitorNews.Default)
)
