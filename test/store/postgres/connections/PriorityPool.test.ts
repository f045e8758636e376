/** The order of requests for a connection when all are in use. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted, Ref } from "effect"
import { register } from "prom-client"
import { inBackground, urgently } from "../../../../src/loops/WorkPriority.ts"
import * as Database from "../../../../src/store/postgres/connections/Database.ts"
import { newDatabase, onServer } from "../../../support/database/TestDatabase.ts"
import { collectingLog } from "../../../support/measure/CollectingLog.ts"
import { until } from "../../../support/time/Until.ts"

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
      const ears = collectingLog(lines)
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

  it.scopedLive("gives a connection to the next turn even if thousands before it were interrupted while they waited", () =>
    Effect.gen(function*() {
      const address = yield* newDatabase("empty")
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const freed = yield* Deferred.make<void>()
        const held = yield* occupy(freed)
        const leaving = yield* Effect.forkAll(Array.from({ length: 4_000 }, () => inBackground(sql`select 1`)))
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

/** A database whose user may have three connections, and how to lift that. */
const scarceDatabase = Effect.gen(function*() {
  const address = new URL(Redacted.value(yield* newDatabase("empty")))
  const user = `few_${address.pathname.slice(-12)}`
  yield* Effect.acquireRelease(
    onServer((sql) => sql`create role ${sql(user)} login password 'few' connection limit 3`),
    () => onServer((sql) => sql`drop role ${sql(user)}`)
  )
  address.username = user
  address.password = "few"
  return {
    address: Redacted.make(address.href),
    lift: onServer((sql) => sql`alter role ${sql(user)} connection limit -1`)
  }
})

describe("a server that gives no further connection", () => {
  it.scopedLive("is used over those that are open: urgent work goes first, nothing fails, and health says what is lacking", () =>
    Effect.gen(function*() {
      const { address, lift } = yield* scarceDatabase
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { ping } = yield* Database.Database
        const done: Array<string> = []
        const noting = (name: string) => Effect.tap(sql`select 1`, () => Effect.sync(() => void done.push(name)))
        const freed = yield* Effect.makeSemaphore(0)
        const running = yield* Ref.make(0)
        const hold = sql.withTransaction(
          Effect.zipRight(sql`select 1`, Effect.zipRight(Ref.update(running, (n) => n + 1), freed.take(1)))
        )
        const held = yield* Effect.forkAll([inBackground(hold), inBackground(hold), inBackground(hold)])
        yield* until(Ref.get(running), (n) => n === 3)
        const bulk = yield* Effect.fork(inBackground(noting("bulk")))
        const urgent = yield* Effect.fork(urgently(noting("urgent")))
        const refusal = yield* until(Effect.flip(ping), ({ message }) => /accepts no more connections/.test(message))
        assert.include(refusal.message, "max_connections")
        assert.deepStrictEqual(done, [])
        // One connection: with several, both would run beside each other.
        yield* freed.release(1)
        yield* Fiber.join(urgent)
        yield* freed.release(2)
        yield* Effect.all([Fiber.join(held), Fiber.join(bulk)])
        assert.deepStrictEqual(done, ["urgent", "bulk"])

        yield* lift
        const four = Effect.all(
          Array.from({ length: 4 }, () => urgently(sql<{ readonly pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.2)`)),
          { concurrency: "unbounded" }
        )
        yield* until(four, (all) => new Set(all.flatMap(([row]) => row?.pid ?? [])).size === 4)
        yield* until(Effect.exit(ping), ({ _tag }) => _tag === "Success")
      }).pipe(Effect.provide(Database.layer(address, { ...pool, maxConnections: 4 })))
    }))
})
