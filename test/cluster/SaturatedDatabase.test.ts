/** Alarms and deliveries while other work holds every database connection that it may. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Ref } from "effect"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ChannelId } from "../../schema/Ids.ts"
import { makeId } from "../../src/domain/tools/Id.ts"
import { keptForUrgent } from "../../src/domain/tools/queues/ConnectionShares.ts"
import { inBackground, urgently } from "../../src/loops/WorkPriority.ts"
import { ManageMonitors } from "../../src/operations/monitor/ManageMonitors.ts"
import { TakePings } from "../../src/operations/monitor/TakePings.ts"
import { newWorkspace, TestRunner } from "../support/program/TestRunner.ts"
import { until } from "../support/time/Until.ts"

/** Those of `TestDatabase`. */
const connections = 5

/** A webhook that answers 200; its URL, and the bodies that it got. */
const receiver = Effect.gen(function*() {
  const bodies: Array<string> = []
  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")))
        request.on("end", () => {
          bodies.push(body)
          response.end()
        })
      }).listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (server) => Effect.sync(() => void server.close())
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies }
})

/** Holds all connections that are not kept for urgent work, with more behind them, until `freed` is done. */
const saturate = (freed: Deferred.Deferred<void>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const holding = yield* Ref.make(0)
    const hold = sql.withTransaction(
      sql`select 1`.pipe(Effect.zipRight(Ref.update(holding, (n) => n + 1)), Effect.zipRight(Deferred.await(freed)))
    )
    const fibers = yield* Effect.forkAll(Array.from({ length: 3 * connections }, () => inBackground(hold)))
    yield* until(Ref.get(holding), (n) => n === connections - keptForUrgent(connections))
    return fibers
  })

layer(TakePings.Default.pipe(Layer.provideMerge(TestRunner)), { excludeTestServices: true })(
  "while bulk work holds all connections that it may",
  (it) => {
    it.scoped("a missed ping is noticed, recorded and delivered", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { bodies, url } = yield* receiver
        const { id: workspaceId } = yield* newWorkspace
        const channelId = ChannelId.make(makeId("ch", 1_700_000_000_000, randomBytes(10)))
        yield* sql`
        insert into channels (id, workspace_id, name, type, url, is_default, enabled, created_at, updated_at)
        values (${channelId}, ${workspaceId}, 'Team', 'webhook', ${url}, true, true, now(), now())`
        const manage = yield* ManageMonitors
        const { id } = yield* manage.create(workspaceId, {
          name: "Backup",
          kind: "heartbeat",
          periodSec: 600,
          channelIds: [channelId]
        })

        const freed = yield* Deferred.make<void>()
        const held = yield* saturate(freed)
        yield* urgently(Effect.gen(function*() {
          yield* sql`update listeners set began_at = '2020-01-01', since = '2020-01-01'`
          yield* sql`update heartbeats set expected_from = expected_from - interval '1 hour' where monitor_id = ${id}`
          yield* sql`update alarms set due_at = now() where id = ${id}`
          yield* sql`select pg_notify('belltower_alarms', '')`
        }))
        const alerts = yield* until(Effect.sync(() => bodies), (all) => all.some((body) => body.includes("monitor.down")))
        expect(alerts.filter((body) => body.includes("monitor.down"))).toHaveLength(1)
        yield* Deferred.succeed(freed, undefined)
        yield* Fiber.join(held)
      }), 60_000)
  }
)
