/** Wake-ups reach every reader, only after a commit, and after the loss of the connection. */
import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue, Stream } from "effect"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

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
      const { notify } = yield* Wakeups
      const one = yield* heard("Events-1")
      const two = yield* heard("Events-1")
      const other = yield* heard("events-2")
      assert.strictEqual(yield* Queue.take(one), "")
      assert.strictEqual(yield* Queue.take(two), "")
      assert.strictEqual(yield* Queue.take(other), "")
      yield* notify("Events-1", "ws_1")
      yield* notify("events-2", "ws_2")
      assert.strictEqual(yield* nextPayload(one), "ws_1")
      assert.strictEqual(yield* nextPayload(two), "ws_1")
      assert.strictEqual(yield* nextPayload(other), "ws_2")
    }))

  it.scoped("arrive when the transaction commits, and never from one that rolls back", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { notify } = yield* Wakeups
      const queue = yield* heard("transactions")
      yield* Queue.take(queue)
      yield* notify("transactions", "lost").pipe(Effect.zipRight(Effect.fail("no")), sql.withTransaction, Effect.ignore)
      yield* notify("transactions", "kept").pipe(sql.withTransaction)
      assert.strictEqual(yield* nextPayload(queue), "kept")
    }))

  it.scoped("continue after the connection is lost, with an empty one for what was missed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { notify } = yield* Wakeups
      const queue = yield* heard("healing")
      yield* Queue.take(queue)
      yield* notify("healing", "before")
      assert.strictEqual(yield* nextPayload(queue), "before")
      const ended = yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen%'`
      assert.strictEqual(ended.length, 1)
      assert.strictEqual(yield* Queue.take(queue), "")
      yield* notify("healing", "after")
      assert.strictEqual(yield* nextPayload(queue), "after")
    }))
})
