/** Answers the alarms of monitors: those that a ping has made void are moved in bulk, the actors of the others wake. */
import { Effect } from "effect"
import { MonitorId } from "../../schema/Ids.ts"
import { Heartbeats } from "../../src/store/monitor/Heartbeats.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import type { Waker } from "../Waker.ts"
import { entityId, MonitorEntity } from "./MonitorProtocol.ts"

export const monitorWaker = Effect.gen(function*() {
  const monitor = yield* MonitorEntity.client
  const heartbeats = yield* Heartbeats
  const clock = yield* DatabaseClock
  const waker: Waker = {
    sift: Effect.fn("MonitorWaker.sift")(function*(due) {
      const moved = yield* heartbeats.postpone(due, yield* clock.now)
      return due.filter(({ id }) => !moved.has(id))
    }),
    wake: ({ id, workspaceId }) => monitor(entityId(workspaceId, MonitorId.make(id))).Wake()
  }
  return waker
})
