/** Signals of many transactions are sent together, outside them, and survive the loss of the connection that sends them. */
import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Queue, Stream } from "effect"
import { Signals } from "../../../src/store/postgres/Signals.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const transactions = 200

/** Ends the connection that sends. The next signal finds it closed, so the signals meanwhile wait together. */
const endSender = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const ended = yield* sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like '% signals'`
  assert.strictEqual(ended.length, 1)
})

it.scopedLive("transactions that signal the same thing share their notifications, and none waits for a connection", () =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { send } = yield* Signals
    const { listen } = yield* Wakeups
    const heard = yield* Queue.unbounded<string>()
    yield* Effect.forkScoped(Stream.runForEach(listen("storm"), (payload) => Queue.offer(heard, payload)))
    yield* Queue.take(heard)
    yield* send("storm", "first")
    assert.strictEqual(yield* Queue.take(heard), "first")

    yield* endSender
    const storm = Array.from({ length: transactions }, (_, at) => sql.withTransaction(send("storm", at % 2 === 0 ? "a" : "b")))
    yield* Effect.all(storm, { concurrency: 8, discard: true })
    yield* send("storm", "last")
    const payloads = yield* Stream.fromQueue(heard).pipe(Stream.takeUntil((payload) => payload === "last"), Stream.runCollect)
    assert.include([...payloads], "a")
    assert.include([...payloads], "b")
    assert.isBelow(payloads.length, transactions / 2)
  }).pipe(Effect.provide(Wakeups.Default.pipe(Layer.provideMerge(TestDatabase)))))
