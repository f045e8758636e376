/** A runner: it hosts the actors and runs the loops of the service. */
import { Layer } from "effect"
import { AiTexts } from "../src/services/ai/AiTexts.ts"
import { LiveChecks } from "../src/services/check/LiveChecks.ts"
import { ManifestFeed } from "../src/services/check/ManifestFeed.ts"
import { DigestBuilder } from "../src/services/digest/DigestBuilder.ts"
import { MonitorAnnouncer } from "../src/services/monitor/MonitorAnnouncer.ts"
import { TrackUpstreams } from "../src/services/upstream/TrackUpstreams.ts"
import { PageEdits } from "../src/store/page/PageEdits.ts"
import { VerifiedDomains } from "../src/store/page/VerifiedDomains.ts"
import { AiReporter } from "./ai/AiReporter.ts"
import { AlarmClock } from "./AlarmClock.ts"
import { AlertDispatcher } from "./alert/AlertDispatcher.ts"
import { BillingUpkeep } from "./billing/BillingUpkeep.ts"
import { CheckCompactor } from "./check/CheckCompactor.ts"
import { CheckConsumer } from "./check/CheckConsumer.ts"
import { CheckUpkeep } from "./check/CheckUpkeep.ts"
import { CheckWriter } from "./check/CheckWriter.ts"
import { SendServerTime } from "./check/SendServerTime.ts"
import { ComponentActor } from "./component/ComponentActor.ts"
import { DigestUpkeep } from "./digest/SendDigests.ts"
import { HistoryUpkeep } from "./event/HistoryUpkeep.ts"
import { IncidentActor } from "./incident/IncidentActor.ts"
import { MailDispatcher } from "./mail/MailDispatcher.ts"
import { AssignmentPublisher } from "./monitor/AssignmentPublisher.ts"
import { MonitorActor } from "./monitor/MonitorActor.ts"
import { MonitoringWatchdog } from "./monitor/MonitoringWatchdog.ts"
import { MonitorMemories } from "./monitor/MonitorMemories.ts"
import { MonitorRows } from "./monitor/MonitorRows.ts"
import { RoundClock } from "./monitor/RoundClock.ts"
import { RoundUpkeep } from "./monitor/RoundUpkeep.ts"
import { UnreportedRegions } from "./monitor/UnreportedRegions.ts"
import { DomainUpkeep } from "./page/DomainUpkeep.ts"
import { ProbeUpkeep } from "./probe/ProbeUpkeep.ts"
import { RunnerMetrics } from "./RunnerMetrics.ts"
import { SubscriberActor } from "./subscriber/SubscriberActor.ts"
import { SubscriberDispatcher } from "./subscriber/SubscriberDispatcher.ts"
import { UpstreamRefresh } from "./upstream/UpstreamRefresh.ts"
import { WorkspaceUpkeep } from "./workspace/WorkspaceUpkeep.ts"

/** The actors, and what the consumer of checks shares with those of monitors in this process. */
export const actors = Layer.mergeAll(
  MonitorActor.pipe(
    Layer.provideMerge(
      Layer.mergeAll(RoundClock.Default, MonitorMemories.Default, MonitorRows.Default, UnreportedRegions.Default)
    ),
    Layer.provide(MonitorAnnouncer.Default)
  ),
  ComponentActor,
  IncidentActor,
  SubscriberActor
)

/** Closes from the consumer inwards: results stop, then the writer flushes. */
const checks = Layer.mergeAll(CheckConsumer, CheckUpkeep, CheckCompactor, SendServerTime).pipe(
  Layer.provide(CheckWriter.Default),
  Layer.provide(ManifestFeed.Default)
)

/** Closes from the outside in: the loops stop, pending checks are written, then the actors go. */
export const layer = Layer.mergeAll(
  checks,
  AssignmentPublisher,
  RoundUpkeep,
  MonitoringWatchdog,
  WorkspaceUpkeep,
  Layer.provide(DomainUpkeep, [VerifiedDomains.Default, PageEdits.Default]),
  HistoryUpkeep,
  ProbeUpkeep,
  RunnerMetrics,
  BillingUpkeep,
  Layer.provide(DigestUpkeep, [DigestBuilder.Default, AiTexts.Default]),
  Layer.provide(UpstreamRefresh, TrackUpstreams.Default),
  AlertDispatcher,
  AiReporter,
  AlarmClock,
  MailDispatcher,
  SubscriberDispatcher
).pipe(
  Layer.provide(actors),
  Layer.provide(LiveChecks.layer)
)
