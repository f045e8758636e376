/** Handles the alarms of monitors: postpones in bulk those that a ping has overtaken, and wakes the actors of the others. */
import { Effect } from "effect"
import { MonitorId } from "../../schema/Ids.ts"
import { Heartbeats } from "../../src/store/monitor/Heartbeats.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import type { AlarmHandler } from "../AlarmHandler.ts"
import { entityId, MonitorEntity } from "./MonitorProtocol.ts"

export const monitorAlarms = Effect.gen(function*() {
  const monitor = yield* MonitorEntity.client
  const heartbeats = yield* Heartbeats
  const clock = yield* DatabaseClock
  const handler: AlarmHandler = {
    settleInBulk: Effect.fn("MonitorAlarms.settleInBulk")(function*(due) {
      const moved = yield* heartbeats.postpone(due, yield* clock.now)
      return due.filter(({ id }) => !moved.has(id))
    }),
    wake: ({ id, workspaceId }) => monitor(entityId(workspaceId, MonitorId.make(id))).Wake()
  }
  return handler
})
