/** The order of requests for a connection when all are in use. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Ref } from "effect"
import { register } from "prom-client"
import { inBackground, urgently } from "../../../src/loops/WorkLane.ts"
import * as Database from "../../../src/store/postgres/Database.ts"
import { newDatabase } from "../../support/TestDatabase.ts"
import { until } from "../../support/Until.ts"

const pool = { maxConnections: 3, applicationName: "belltower test" }

/** Occupies the two connections that are not kept for urgent work, until `freed` is done. */
const occupy = (freed: Deferred.Deferred<void>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const running = yield* Ref.make(0)
    const hold = sql.withTransaction(
      Effect.zipRight(sql`select 1`, Effect.zipRight(Ref.update(running, (n) => n + 1), Deferred.await(freed)))
    )
    const fibers = yield* Effect.forkAll([inBackground(hold), inBackground(hold)])
    yield* until(Ref.get(running), (n) => n === 2)
    return fibers
  })

const waitMetric = Effect.promise(async () => {
  const [value] = (await register.getSingleMetric("belltower_database_wait_seconds")?.get())?.values ?? []
  return value?.value ?? 0
})

describe("a pool whose connections are all in use", () => {
  it.scopedLive("serves urgent work and health, keeps bulk work waiting, and tells of the overload in one line", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const ears = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void lines.push(String(message))))
      const address = yield* newDatabase("empty")
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { ping } = yield* Database.Database
        const freed = yield* Deferred.make<void>()
        const held = yield* occupy(freed)
        const writes = yield* Effect.forkAll(Array.from({ length: 50 }, () => inBackground(sql`select 1`)))

        yield* urgently(sql`select 1`)
        yield* urgently(sql.withTransaction(sql`select 1`))
        yield* ping
        assert.isNull(yield* Fiber.poll(writes).pipe(Effect.map((done) => done._tag === "None" ? null : done)))

        yield* until(waitMetric, (seconds) => seconds >= 1)
        yield* until(Effect.sync(() => lines), (all) => all.length > 0)
        yield* Deferred.succeed(freed, undefined)
        yield* Fiber.join(held)
        yield* Fiber.join(writes)
        yield* until(waitMetric, (seconds) => seconds === 0)
        assert.deepStrictEqual(lines.map((line) => line.replace(/: .*/, "")), ["Database overloaded"])
      }).pipe(Effect.provide(Database.layer(address, pool).pipe(Layer.provideMerge(ears))))
    }))

  it.scopedLive("gives a connection to the next turn even if those before it were interrupted while they waited", () =>
    Effect.gen(function*() {
      const address = yield* newDatabase("empty")
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const freed = yield* Deferred.make<void>()
        const held = yield* occupy(freed)
        const leaving = yield* Effect.forkAll(Array.from({ length: 10 }, () => inBackground(sql`select 1`)))
        const staying = yield* Effect.fork(inBackground(sql`select 1`))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(leaving)
        yield* Deferred.succeed(freed, undefined)
        yield* Fiber.join(held)
        yield* Fiber.join(staying)
        yield* sql`select 1`
      }).pipe(Effect.provide(Database.layer(address, pool)))
    }))
})
