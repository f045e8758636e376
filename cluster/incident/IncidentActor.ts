/** The incident's actor: when its alarm is due, it moves a maintenance window on, or pages and reminds people of an incident. */
import { Entity } from "@effect/cluster"
import { Effect, Layer, Option } from "effect"
import { urgently } from "../../src/loops/WorkLane.ts"
import { earliest, makeAlertingSteps } from "../../src/services/incident/AlertingSteps.ts"
import { IncidentWriter } from "../../src/services/incident/IncidentWriter.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { Incidents } from "../../src/store/incident/Incidents.ts"
import { MaintenancePlans } from "../../src/store/incident/MaintenancePlans.ts"
import { OutagesInMaintenance } from "../../src/store/incident/OutagesInMaintenance.ts"
import { Followers } from "../../src/store/monitor/Followers.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { answering } from "../ActorProtocol.ts"
import { registerActors } from "../MinimalContext.ts"
import { entityKey, IncidentEntity } from "./IncidentProtocol.ts"
import { makeMaintenanceSteps } from "./MaintenanceSteps.ts"
import { makeShowAfterMaintenance } from "./ShowAfterMaintenance.ts"

const makeActors = Effect.gen(function*() {
  const alarms = yield* Alarms
  const clock = yield* DatabaseClock
  const events = yield* EventLog
  const incidents = yield* Incidents
  const maintain = yield* makeMaintenanceSteps
  const alert = yield* makeAlertingSteps
  const show = yield* makeShowAfterMaintenance

  const actor = Effect.gen(function*() {
    const { id, workspaceId } = entityKey((yield* Entity.CurrentAddress).entityId)

    const steps = Effect.gen(function*() {
      const seen = yield* incidents.peek(workspaceId, id)
      if (Option.isNone(seen)) return { drafts: [], nextAt: null }
      if (seen.value.kind === "maintenance") return yield* maintain(workspaceId, id, yield* clock.now)
      const locked = yield* incidents.lock(workspaceId, id)
      if (Option.isNone(locked)) return { drafts: [], nextAt: null }
      const now = yield* clock.now
      const shown = yield* show(workspaceId, locked.value, now)
      const alerted = yield* alert(workspaceId, shown.incident, now)
      return { drafts: [...shown.drafts, ...alerted.drafts], nextAt: earliest([shown.nextAt, alerted.nextAt]) }
    })

    /** The steps, their events and the next alarm are one transaction: a process that dies loses and doubles no page. */
    const wake = Effect.gen(function*() {
      const { drafts, nextAt } = yield* steps
      yield* alarms.arm("incident", workspaceId, id, nextAt)
      // Last: it holds the lock of the workspace's events.
      if (drafts.length > 0) yield* events.append(workspaceId, drafts)
    }).pipe(alarms.waking, answering)

    return IncidentEntity.of({ Wake: () => urgently(wake) })
  })
  return IncidentEntity.toLayer(actor, { maxIdleTime: "1 minute", mailboxCapacity: 16, disableFatalDefects: true })
})

export const IncidentActor = Layer.provide(registerActors(makeActors), [
  Followers.Default,
  IncidentWriter.Default,
  MaintenancePlans.Default,
  OutagesInMaintenance.Default
])
