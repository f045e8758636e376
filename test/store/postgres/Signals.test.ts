/** Signals of many transactions are sent together, outside them, and survive the loss of the connection that sends them. */
import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Queue, Stream } from "effect"
import { Client } from "pg"
import { Database } from "../../../src/store/postgres/connections/Database.ts"
import { Signals } from "../../../src/store/postgres/Signals.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { onServer, TestDatabase } from "../../support/database/TestDatabase.ts"

const transactions = 200
const connections = 3

/** Ends the connection that sends. The next signal finds it closed. */
const endSender = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const ended = yield* sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like '% signals'`
  assert.strictEqual(ended.length, 1)
})

/** Runs `use` while the connection that sends is lost and cannot come back. */
const withoutSender = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [own] = yield* sql<{ readonly name: string }>`select current_database() as name`
    const allow = (allowed: boolean) =>
      onServer((server) => server`alter database ${server(own?.name ?? "")} allow_connections ${server.literal(String(allowed))}`)
    return yield* Effect.acquireUseRelease(allow(false), () => Effect.zipRight(endSender, use), () => allow(true))
  })

/** The payloads that another process hears. */
const heardElsewhere = (signal: string) =>
  Effect.gen(function*() {
    const { connection } = yield* Database
    const heard = yield* Queue.unbounded<string>()
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new Client(connection)),
      (one) => Effect.promise(() => one.end())
    )
    client.on("error", () => {})
    client.on("notification", ({ payload }) => void Queue.unsafeOffer(heard, payload ?? ""))
    yield* Effect.promise(() => client.connect())
    yield* Effect.promise(() => client.query(`listen ${signal}`))
    return heard
  })

it.scopedLive("transactions that signal the same thing share their notifications, and none waits for a connection", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { send } = yield* Signals
    const heard = yield* heardElsewhere("storm")
    yield* send("storm", "first")
    assert.strictEqual(yield* Queue.take(heard), "first")

    // The pool opens its connections while it can.
    yield* Effect.all(Array.from({ length: connections }, () => sql`select pg_sleep(0.1)`), { concurrency: "unbounded" })
    const storm = Array.from({ length: transactions }, (_, at) => sql.withTransaction(send("storm", at % 2 === 0 ? "a" : "b")))
    yield* withoutSender(Effect.zipRight(Effect.all(storm, { concurrency: connections }), send("storm", "last")))
    const payloads = yield* Stream.fromQueue(heard).pipe(Stream.takeUntil((payload) => payload === "last"), Stream.runCollect)
    assert.sameMembers([...payloads], ["a", "b", "last"])
  }).pipe(Effect.scoped, Effect.provide(TestDatabase)))

it.scopedLive("the process that sends a signal hears it immediately, also while its connection is lost, and only once", () =>
  Effect.gen(function*() {
    const { send } = yield* Signals
    const { listen } = yield* Wakeups
    const heard = yield* Queue.unbounded<string>()
    yield* Effect.forkScoped(Stream.runForEach(listen("own"), (payload) => Queue.offer(heard, payload)))
    yield* Queue.take(heard)
    const elsewhere = yield* heardElsewhere("own")
    yield* send("own", "one")
    assert.strictEqual(yield* Queue.take(elsewhere), "one")
    yield* endSender
    yield* send("own", "two")
    assert.strictEqual(yield* Queue.take(elsewhere), "two")
    assert.deepStrictEqual([...yield* Queue.takeAll(heard)], ["one", "two"])
  }).pipe(Effect.scoped, Effect.provide(Wakeups.Default.pipe(Layer.provideMerge(TestDatabase)))))
