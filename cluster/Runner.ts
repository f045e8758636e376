/** A runner: it hosts the actors and runs the loops of the service. */
import { Layer } from "effect"
import { AlarmClock } from "./AlarmClock.ts"
import { AlertDispatcher } from "./alert/AlertDispatcher.ts"
import { BillingUpkeep } from "./billing/BillingUpkeep.ts"
import { checks } from "./check/CheckLayer.ts"
import { componentActors } from "./component/ComponentLayer.ts"
import { incidentActors } from "./incident/IncidentLayer.ts"
import { MailDispatcher } from "./mail/MailDispatcher.ts"
import { monitorActors, monitorLoops } from "./monitor/MonitorLayer.ts"
import { WorkspaceUpkeep } from "./workspace/WorkspaceUpkeep.ts"

/** Closes from the outside in: the loops stop, pending checks are written, then the actors go. */
export const layer = Layer.mergeAll(
  checks,
  monitorLoops,
  WorkspaceUpkeep,
  BillingUpkeep,
  AlertDispatcher,
  AlarmClock,
  MailDispatcher
).pipe(Layer.provide(Layer.mergeAll(monitorActors, componentActors, incidentActors)))
