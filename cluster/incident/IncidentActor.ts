/** The incident's actor: starts and completes its maintenance window when its alarm is due. */
import { Entity } from "@effect/cluster"
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Layer, Option } from "effect"
import type { EventDraft } from "../../schema/event/EventData.ts"
import { instant } from "../../schema/Fields.ts"
import { idTime } from "../../src/domain/Id.ts"
import { dueSteps, nextAlarm } from "../../src/domain/incident/MaintenanceClock.ts"
import { maintenanceNote } from "../../src/domain/incident/ManualIncident.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { registerEntity } from "../MinimalContext.ts"
import { IncidentEntity, entityKey } from "./IncidentProtocol.ts"
import { IncidentWriter } from "./IncidentWriter.ts"

const makeActors = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const alarms = yield* Alarms
  const clock = yield* DatabaseClock
  const events = yield* EventLog
  const writer = yield* IncidentWriter

  const actor = Effect.gen(function*() {
    const { id, workspaceId } = entityKey((yield* Entity.CurrentAddress).entityId)

    /**
     * Takes the steps that are due, each at the time it was scheduled for, however late the actor wakes. People may have moved
     * the window meanwhile: the locked row decides.
     */
    const wake = Effect.gen(function*() {
      const found = yield* writer.begin(workspaceId, id, [])
      if (Option.isNone(found)) return yield* alarms.arm("incident", workspaceId, id, null)
      let current = found.value
      const drafts: Array<EventDraft> = []
      for (const { at, status } of dueSteps(current, yield* clock.now)) {
        const written = yield* writer.apply(workspaceId, current, {
          status,
          components: current.components,
          body: maintenanceNote(status),
          // A window may have been scheduled after its start.
          at: DateTime.max(at, instant(idTime(id) ?? 0)),
          public: true,
          ai: false,
          byPerson: false,
          notify: true
        })
        drafts.push(...written.drafts)
        current = written.after
      }
      yield* alarms.arm("incident", workspaceId, id, nextAlarm(current))
      // Last: it holds the lock of the workspace's events.
      if (drafts.length > 0) yield* events.append(workspaceId, drafts)
    }).pipe(sql.withTransaction, Effect.orDie)

    return IncidentEntity.of({ Wake: () => wake })
  })
  return { actor }
})

export const IncidentActor = Layer.unwrapEffect(
  Effect.map(makeActors, ({ actor }) =>
    registerEntity(
      IncidentEntity.toLayer(actor, { maxIdleTime: "1 minute", mailboxCapacity: 16, disableFatalDefects: true })
    ))
)
