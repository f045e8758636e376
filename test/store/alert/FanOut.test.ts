/** Several runners turn events into deliveries; the events of one workspace keep their order. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { fanOut, ground, incidentCreated, newChannel, newWorkspace } from "../../notify/alert/Receiver.ts"

const record = (workspaceId: Effect.Effect.Success<typeof newWorkspace>) =>
  Effect.flatMap(EventLog, (log) => log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }]))

layer(ground([]), { excludeTestServices: true, timeout: "60 seconds" })("the fan-out", (it) => {
  it.effect("leaves a workspace that another runner has to it, and takes the events of the others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [busy, other] = [yield* newWorkspace, yield* newWorkspace]
      const channel = yield* newChannel(busy, "https://hooks.example.com/one")
      yield* record(busy)
      const held = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      // The first runner has taken the first event, and stays in its transaction.
      const runner = yield* fanOut(1).pipe(
        Effect.zipLeft(Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(done))),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(held)
      yield* record(busy)
      yield* record(other)
      expect(yield* fanOut(1)).toMatchObject({ events: 1 })
      const open = sql`select workspace_id from events where not fanned_out order by id`
      expect(yield* open).toEqual([{ workspace_id: busy }, { workspace_id: busy }])
      expect(yield* fanOut(1)).toEqual({ events: 0, more: false })
      yield* Deferred.succeed(done, undefined)
      yield* runner
      expect(yield* fanOut(1)).toMatchObject({ events: 1 })
      expect(yield* open).toEqual([])
      const order = yield* sql<{ readonly event_id: string }>`
        select event_id from deliveries where channel_id = ${channel.id} order by created_at`
      expect(order.map((row) => row.event_id)).toEqual(order.map((row) => row.event_id).sort())
      expect(order).toHaveLength(2)
    }))

  it.effect("finds the events of others behind many of a workspace that another runner has", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [busy, other] = [yield* newWorkspace, yield* newWorkspace]
      const held = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      yield* Effect.replicateEffect(record(busy), 150)
      const runner = yield* fanOut(100).pipe(
        Effect.tap((step) => Effect.sync(() => expect(step).toEqual({ events: 100, more: true }))),
        Effect.zipLeft(Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(done))),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(held)
      yield* record(other)
      expect(yield* fanOut(100)).toEqual({ events: 1, more: false })
      yield* Deferred.succeed(done, undefined)
      yield* runner
      expect(yield* fanOut(100)).toEqual({ events: 50, more: false })
    }))
})
