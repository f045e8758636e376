/** Poolers between the program and its database: refused where they share connections between transactions, used where they do not. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { Signals } from "../../../src/store/postgres/Signals.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { canRunPgBouncer, startPgBouncer } from "../../support/database/PgBouncer.ts"
import { newDatabase } from "../../support/database/TestDatabase.ts"
import { until } from "../../support/time/Until.ts"

const options = { maxConnections: 3, applicationName: "belltower test" }

/** The settings of operators who meet the parameters that PgBouncer refuses. */
const ignoring = "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options"

/** A database behind PgBouncer. */
const pooled = Effect.fn("pooled")(function*(settings: ReadonlyArray<string>) {
  const address = new URL(Redacted.value(yield* newDatabase("migrated")))
  const port = yield* startPgBouncer(settings)
  return Redacted.make(`postgresql://${address.username}@127.0.0.1:${port}${address.pathname}`)
})

describe.skipIf(!canRunPgBouncer())("PgBouncer", () => {
  const sharing: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["in transaction mode", ["pool_mode = transaction"]],
    ["in transaction mode that ignores parameters", ["pool_mode = transaction", ignoring]],
    ["in transaction mode that hands out its connections in turns", [
      "pool_mode = transaction",
      "server_round_robin = 1",
      "min_pool_size = 4"
    ]],
    ["in transaction mode with one connection", ["pool_mode = transaction", "default_pool_size = 1"]],
    ["in statement mode", ["pool_mode = statement", ignoring]]
  ]
  it.scopedLive.each(sharing)("%s is refused with what to do", ([, settings]) =>
    Effect.gen(function*() {
      const address = yield* pooled(settings)
      const failure = yield* Effect.flip(Effect.scoped(Layer.build(Database.layer(address, options))))
      assert.match(failure.message, /^DATABASE_URL leads to a pooler .* Use the pooler's session mode .*directly\.$/)
    }))

  it.scopedLive("in session mode is used: limits hold, statements are cancelled, notifications arrive", () =>
    Effect.gen(function*() {
      const address = yield* pooled(["pool_mode = session", ignoring])
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ name: string; setting: string }>`select name, setting from pg_settings
          where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'plan_cache_mode')`
        assert.deepStrictEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), {
          idle_in_transaction_session_timeout: "20000",
          lock_timeout: "10000",
          plan_cache_mode: "force_custom_plan",
          statement_timeout: "30000"
        })

        const sleeping = sql<{ readonly count: number }>`select count(*) as count from pg_stat_activity
          where datname = current_database() and state = 'active' and query like 'select pg_sleep(25)%'`
        const statement = yield* Effect.fork(sql`select pg_sleep(25)`)
        yield* until(sleeping, ([row]) => row?.count === 1)
        yield* Fiber.interrupt(statement)
        yield* until(sleeping, ([row]) => row?.count === 0, "10 seconds")

        const { listen } = yield* Wakeups
        const { send } = yield* Signals
        const heard = yield* Deferred.make<string>()
        yield* Effect.forkScoped(
          Stream.runForEach(
            listen("start_test"),
            (payload) => payload === "" ? send("start_test", "hello") : Deferred.succeed(heard, payload)
          )
        )
        assert.strictEqual(yield* Deferred.await(heard), "hello")
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Wakeups.Default, Database.layer(address, options))))
    }))
})
