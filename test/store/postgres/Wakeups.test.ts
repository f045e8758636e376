/** Wake-ups reach every reader, only after a commit, and after the loss of the connection. */
import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue, Stream } from "effect"
import { Signals } from "../../../src/store/postgres/Signals.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"

const heard = (channel: string) =>
  Effect.gen(function*() {
    const queue = yield* Queue.unbounded<string>()
    const { listen } = yield* Wakeups
    yield* Effect.forkScoped(Stream.runForEach(listen(channel), (payload) => Queue.offer(queue, payload)))
    return queue
  })

/** Takes wake-ups up to the first that is not empty; empty ones may come more often than needed. */
const nextPayload = (queue: Queue.Queue<string>) => Queue.take(queue).pipe(Effect.repeat({ until: (payload) => payload !== "" }))

layer(Wakeups.Default.pipe(Layer.provideMerge(TestDatabase)), { excludeTestServices: true })("wake-ups", (it) => {
  it.scoped("begin with an empty one, then carry the payload to every reader of that channel only", () =>
    Effect.gen(function*() {
      const { send } = yield* Signals
      const one = yield* heard("Events-1")
      const two = yield* heard("Events-1")
      const other = yield* heard("events-2")
      assert.strictEqual(yield* Queue.take(one), "")
      assert.strictEqual(yield* Queue.take(two), "")
      assert.strictEqual(yield* Queue.take(other), "")
      yield* send("Events-1", "ws_1")
      yield* send("events-2", "ws_2")
      assert.strictEqual(yield* nextPayload(one), "ws_1")
      assert.strictEqual(yield* nextPayload(two), "ws_1")
      assert.strictEqual(yield* nextPayload(other), "ws_2")
    }))

  it.scoped("arrive when the outermost transaction has ended, not before", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { send } = yield* Signals
      const queue = yield* heard("transactions")
      yield* Queue.take(queue)
      yield* Effect.gen(function*() {
        yield* sql.withTransaction(send("transactions", "inside"))
        yield* Effect.promise(() => Effect.runPromise(send("transactions", "outside")))
        assert.strictEqual(yield* nextPayload(queue), "outside")
      }).pipe(sql.withTransaction)
      assert.strictEqual(yield* nextPayload(queue), "inside")
    }))

  it.scoped("continue after the connection is lost, with an empty one for what was missed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { send } = yield* Signals
      const queue = yield* heard("healing")
      yield* Queue.take(queue)
      yield* send("healing", "before")
      assert.strictEqual(yield* nextPayload(queue), "before")
      const ended = yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen%'`
      assert.strictEqual(ended.length, 1)
      assert.strictEqual(yield* Queue.take(queue), "")
      yield* send("healing", "after")
      assert.strictEqual(yield* nextPayload(queue), "after")
    }))
})
