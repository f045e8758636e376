/** What a runner does: hosts the actors, takes in check results, tells probes of edits, wakes who is due, and tells the channels. */
import { Layer } from "effect"
import { AlarmClock } from "./AlarmClock.ts"
import { AssignmentPublisher } from "./AssignmentPublisher.ts"
import { BillingUpkeep } from "./BillingUpkeep.ts"
import { CheckConsumer } from "./CheckConsumer.ts"
import { CheckUpkeep } from "./CheckUpkeep.ts"
import { CheckWriter } from "./CheckWriter.ts"
import { ComponentActor } from "./component/ComponentActor.ts"
import { ComponentNews } from "./component/ComponentNews.ts"
import { LiveChecks } from "./LiveChecks.ts"
import { AwakeActors } from "./monitor/AwakeActors.ts"
import { MonitorActor } from "./monitor/MonitorActor.ts"
import { MonitorNews } from "./monitor/MonitorNews.ts"
import { Notifier } from "./Notifier.ts"
import { Postman } from "./Postman.ts"
import { RoundClock } from "./RoundClock.ts"
import { RoundUpkeep } from "./RoundUpkeep.ts"
import { Watchman } from "./Watchman.ts"
import { WorkspaceUpkeep } from "./WorkspaceUpkeep.ts"

/** Closes from the outside in: results stop coming, what is in hand is written, then the actors go. */
export const layer = Layer.mergeAll(
  CheckConsumer,
  AssignmentPublisher,
  CheckUpkeep,
  WorkspaceUpkeep,
  BillingUpkeep,
  Notifier,
  AlarmClock,
  Postman,
  RoundUpkeep,
  Watchman
).pipe(
  Layer.provide(CheckWriter.layer),
  Layer.provide(LiveChecks.layer),
  Layer.provideMerge(Layer.mergeAll(MonitorActor, ComponentActor)),
  Layer.provide([RoundClock.layer, AwakeActors.layer]),
  Layer.provide([MonitorNews.Default, ComponentNews.Default])
)
