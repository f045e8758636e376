/** A runner: it hosts the actors and runs the loops of the service. */
import { Layer } from "effect"
import { AiTexts } from "../src/services/ai/AiTexts.ts"
import { LiveChecks } from "../src/services/check/LiveChecks.ts"
import { DigestBuilder } from "../src/services/digest/DigestBuilder.ts"
import { TrackUpstreams } from "../src/services/upstream/TrackUpstreams.ts"
import { AiReporter } from "./ai/AiReporter.ts"
import { AlarmClock } from "./AlarmClock.ts"
import { AlertDispatcher } from "./alert/AlertDispatcher.ts"
import { BillingUpkeep } from "./billing/BillingUpkeep.ts"
import { checks } from "./check/CheckLayer.ts"
import { componentActors } from "./component/ComponentLayer.ts"
import { DigestUpkeep } from "./digest/DigestUpkeep.ts"
import { HistoryUpkeep } from "./event/HistoryUpkeep.ts"
import { incidentActors } from "./incident/IncidentLayer.ts"
import { MailDispatcher } from "./mail/MailDispatcher.ts"
import { monitorActors, monitorLoops } from "./monitor/MonitorLayer.ts"
import { SubscriberActor } from "./subscriber/SubscriberActor.ts"
import { SubscriberDispatcher } from "./subscriber/SubscriberDispatcher.ts"
import { UpstreamRefresh } from "./upstream/UpstreamRefresh.ts"
import { WorkspaceUpkeep } from "./workspace/WorkspaceUpkeep.ts"

/** Closes from the outside in: the loops stop, pending checks are written, then the actors go. */
export const layer = Layer.mergeAll(
  checks,
  monitorLoops,
  WorkspaceUpkeep,
  HistoryUpkeep,
  BillingUpkeep,
  Layer.provide(DigestUpkeep, [DigestBuilder.Default, AiTexts.Default]),
  Layer.provide(UpstreamRefresh, TrackUpstreams.Default),
  AlertDispatcher,
  AiReporter,
  AlarmClock,
  MailDispatcher,
  SubscriberDispatcher
).pipe(
  Layer.provide(Layer.mergeAll(monitorActors, componentActors, incidentActors, SubscriberActor)),
  Layer.provide(LiveChecks.layer)
)
