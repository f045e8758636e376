/** The incident's actor: when its alarm is due, it moves a maintenance window on, or pages and reminds people of an incident. */
import { ClusterSchema, Entity } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { Effect, Layer, Option } from "effect"
import { IncidentId } from "../../schema/Ids.ts"
import { earliest } from "../../src/domain/tools/time/Earliest.ts"
import { urgently } from "../../src/loops/WorkPriority.ts"
import { makeAlertingSteps } from "../../src/services/incident/AlertingSteps.ts"
import { IncidentWriter } from "../../src/services/incident/IncidentWriter.ts"
import { recordedPages } from "../../src/services/paging/PagePeople.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { Incidents } from "../../src/store/incident/Incidents.ts"
import { MaintenancePlans } from "../../src/store/incident/MaintenancePlans.ts"
import { OutagesInMaintenance } from "../../src/store/incident/OutagesInMaintenance.ts"
import { Followers } from "../../src/store/monitor/Followers.ts"
import { Pagings } from "../../src/store/paging/Pagings.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { answering, entityIds, WakeAnswer } from "../ActorProtocol.ts"
import { registerActors } from "../MinimalContext.ts"
import { makeMaintenanceSteps } from "./MaintenanceSteps.ts"
import { makeShowAfterMaintenance } from "./ShowAfterMaintenance.ts"

export const IncidentEntity = Entity.make("Incident", [
  /** A step of a maintenance window or of an incident's alerting is due. */
  Rpc.make("Wake", { success: WakeAnswer })
]).annotate(ClusterSchema.ClientTracingEnabled, false)

const { entityKey } = entityIds(IncidentId)

const makeActors = Effect.gen(function*() {
  const alarms = yield* Alarms
  const clock = yield* DatabaseClock
  const events = yield* EventLog
  const pagings = yield* Pagings
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
      yield* alarms.rearm("incident", [{ workspaceId, id, dueAt: nextAt }])
      // Last: it holds the lock of the workspace's events.
      if (drafts.length > 0) {
        const ids = yield* events.append(workspaceId, drafts)
        yield* pagings.recorded(workspaceId, recordedPages(drafts, ids))
      }
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
