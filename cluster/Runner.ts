/** What a runner does: hosts the actors, takes in check results, tells probes of edits, wakes who is due, and tells the channels. */
import { Layer } from "effect"
import { AlarmClock } from "./AlarmClock.ts"
import { AlertDispatcher } from "./alert/AlertDispatcher.ts"
import { BillingUpkeep } from "./billing/BillingUpkeep.ts"
import { CheckConsumer } from "./check/CheckConsumer.ts"
import { CheckUpkeep } from "./check/CheckUpkeep.ts"
import { CheckWriter } from "./check/CheckWriter.ts"
import { LiveChecks } from "./check/LiveChecks.ts"
import { ComponentActor } from "./component/ComponentActor.ts"
import { ComponentAnnouncer } from "./component/ComponentAnnouncer.ts"
import { MailDispatcher } from "./mail/MailDispatcher.ts"
import { AssignmentPublisher } from "./monitor/AssignmentPublisher.ts"
import { AwakeActors } from "./monitor/AwakeActors.ts"
import { MonitorActor } from "./monitor/MonitorActor.ts"
import { MonitorAnnouncer } from "./monitor/MonitorAnnouncer.ts"
import { MonitoringWatchdog } from "./monitor/MonitoringWatchdog.ts"
import { RoundClock } from "./monitor/RoundClock.ts"
import { RoundUpkeep } from "./monitor/RoundUpkeep.ts"
import { WorkspaceUpkeep } from "./workspace/WorkspaceUpkeep.ts"

/** Closes from the outside in: results stop coming, what is in hand is written, then the actors go. */
export const layer = Layer.mergeAll(
  CheckConsumer,
  AssignmentPublisher,
  CheckUpkeep,
  WorkspaceUpkeep,
  BillingUpkeep,
  AlertDispatcher,
  AlarmClock,
  MailDispatcher,
  RoundUpkeep,
  MonitoringWatchdog
).pipe(
  Layer.provide(CheckWriter.layer),
  Layer.provide(LiveChecks.layer),
  Layer.provideMerge(Layer.mergeAll(MonitorActor, ComponentActor)),
  Layer.provide([RoundClock.layer, AwakeActors.layer]),
  Layer.provide([MonitorAnnouncer.Default, ComponentAnnouncer.Default])
)
