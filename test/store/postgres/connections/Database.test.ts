/** Values, limits and readiness of the pool. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer } from "node:net"
import * as Database from "../../../../src/store/postgres/connections/Database.ts"
import { severedDatabase } from "../../../support/database/SeveredDatabase.ts"
import { newDatabase, onServer, TestDatabase } from "../../../support/database/TestDatabase.ts"

layer(TestDatabase, { excludeTestServices: true })("the pool", (it) => {
  it.effect("reads bigint as number, timestamptz as Date, bytea as Buffer, a day as its text, arrays as arrays", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`select 9007199254740991::bigint as "large", count(*) as "count",
        '2026-11-20T08:00:00.123Z'::timestamptz as "at", '\\x00ff'::bytea as "bytes", date '2026-03-29' as "day",
        array['a', 'b'] as "tags", '{"a":[1]}'::jsonb as "json", 1.5::float8 as "ratio", null::bigint as "none"`
      assert.deepStrictEqual(row, {
        large: 9007199254740991,
        count: 1,
        at: new Date("2026-11-20T08:00:00.123Z"),
        bytes: Buffer.of(0, 255),
        day: "2026-03-29",
        tags: ["a", "b"],
        json: { a: [1] },
        ratio: 1.5,
        none: null
      })
    }))

  it.effect("limits statements, waits for locks and idle transactions", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ name: string; setting: string }>`select name, setting from pg_settings
        where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'application_name')`
      assert.deepStrictEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), {
        application_name: "belltower test",
        idle_in_transaction_session_timeout: "20000",
        lock_timeout: "10000",
        statement_timeout: "30000"
      })
    }))

  it.scoped("relies on nothing that a server, a database or a role sets otherwise", () =>
    Effect.gen(function*() {
      const url = yield* newDatabase("empty")
      const name = new URL(Redacted.value(url)).pathname.slice(1)
      const others = {
        array_nulls: "off",
        datestyle: "German",
        default_transaction_isolation: "serializable",
        idle_session_timeout: "5000",
        timezone: "Asia/Kolkata",
        transaction_timeout: "1000"
      }
      yield* onServer((sql) =>
        Effect.forEach(Object.entries(others), ([setting, value]) =>
          // A server that is too old for one has nothing to be undone.
          Effect.ignore(sql`alter database ${sql(name)} set ${sql(setting)} = ${sql.literal(`'${value}'`)}`))
      )
      const [row] = yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`
          select '2026-11-20T08:00:00Z'::timestamptz as at, '2026-11-20T08:00:00Z'::timestamptz::text as text,
            '{null}'::text[] as "nulls", current_setting('transaction_isolation') as isolation,
            current_setting('idle_session_timeout') as idle, coalesce(current_setting('transaction_timeout', true), '0') as "limit"
        `).pipe(Effect.provide(Database.layer(url, { maxConnections: 1, applicationName: "belltower test" })))
      assert.deepStrictEqual(row, {
        at: new Date("2026-11-20T08:00:00Z"),
        text: "2026-11-20 08:00:00+00",
        nulls: [null],
        isolation: "read committed",
        idle: "0",
        limit: "0"
      })
    }))

  it.effect("answers a ping, and continues after its connections were cut", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { ping } = yield* Database.Database
      yield* ping
      yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
      yield* Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
      yield* ping
    }))
})

describe("a database that has silently disappeared", () => {
  it.scopedLive("is distinguished from a quiet one and from one with a slow statement", () =>
    Effect.gen(function*() {
      const line = yield* severedDatabase({ silence: 200, maxConnections: 2 })
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const backend = Effect.map(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`, ([row]) => row?.pid)
        const both = Effect.all([backend, backend], { concurrency: 2 })
        const before = yield* both
        assert.notStrictEqual(before[0], before[1])
        // Five times the allowed silence of a statement; the other connection is quiet meanwhile.
        yield* sql`select pg_sleep(1)`
        assert.sameMembers(yield* both, before)
      }).pipe(Effect.provide(line.layer))
    }))

  it.scopedLive.each(["requests", "answers", "both"] as const)(
    "is not waited for if %s get lost: the next statement succeeds",
    (lost) =>
      Effect.gen(function*() {
        const line = yield* severedDatabase({ silence: 200, maxConnections: 1 })
        yield* Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`select 1`
          yield* line.freeze(lost)
          // The answer is larger than what the system takes for a client that reads nothing.
          const failure = yield* Effect.flip(sql`select repeat('x', 64 * 1024 * 1024)`)
          assert.match(String(failure.cause), /Connection terminated/)
          yield* sql`select 1`
        }).pipe(Effect.provide(line.layer))
      })
  )
})

describe("an unreachable database", () => {
  const pool = { maxConnections: 1, applicationName: "belltower test" }

  it.scopedLive("is reported in one line without the password", () =>
    Effect.gen(function*() {
      // A server with another protocol.
      const server = yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((socket) => socket.resume().end("HTTP/1.1 400 Bad Request\r\n\r\n"))
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const url = Redacted.make(`postgresql://bell:geheim@127.0.0.1:${port}/bell`)
      const failure = yield* Effect.flip(Effect.provide(Effect.void, Database.layer(url, pool)))
      assert.match(failure.message, /^Cannot connect to the database: /)
      assert.notInclude(failure.message, "geheim")
    }))
})
