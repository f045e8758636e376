/** The embedded database accepts nobody without its password, also a cluster of a version that had none. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Option, Redacted } from "effect"
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "pg"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { addressOf, makeEmbeddedPostgres, servedByAnother } from "../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { temporaryRoot } from "../support/run/TemporaryRoot.ts"
import { until } from "../support/time/Until.ts"

const pool = { maxConnections: 2, applicationName: "belltower test" }

const newFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(temporaryRoot, "belltower-password-"))
    chmodSync(folder, 0o755)
    return join(folder, "postgres")
  }),
  (folder) => Effect.sync(() => rmSync(join(folder, ".."), { recursive: true, force: true }))
)

/** The answer of a server to a client with a password: "in", or the error's code. */
const comeIn = (host: string, password: string) =>
  Effect.promise(async () => {
    const client = new Client({ host, port: 5432, user: "postgres", database: "postgres", password })
    const failure = await client.connect().then(() => "in", (error: unknown) =>
      error instanceof Error && "code" in error ? String(error.code) : String(error))
    await client.end().catch(() => {})
    return failure
  })

const fileIn = (folder: string) => join(folder, "cluster/belltower.password")
const passwordIn = (folder: string) => readFileSync(fileIn(folder), "utf8").trim()

const wrongPassword = "28P01"

describe("the embedded database", () => {
  it.scopedLive("lets nobody in without its password, which only its owner can read", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      const server = yield* makeEmbeddedPostgres({ folder })
      const password = Redacted.value(server.password)
      expect(password).toMatch(/^[\w-]{43}$/)
      expect(yield* comeIn(server.host, "")).not.toBe("in")
      expect(yield* comeIn(server.host, "postgres")).toBe(wrongPassword)
      expect(yield* comeIn(server.host, password)).toBe("in")
      expect(passwordIn(folder)).toBe(password)
      expect(statSync(fileIn(folder)).mode & 0o777).toBe(0o600)
      // The prize of an intruder: the superuser starts programs.
      const started = Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create temp table said (line text)`
        yield* sql`copy said from program 'echo started'`
        return yield* sql<{ line: string }>`select line from said`
      })
      expect(yield* Effect.provide(started, Database.layer(server, { ...pool, maxConnections: 1 }))).toEqual([{
        line: "started"
      }])
      // No process shows it in its command line.
      expect(readFileSync(`/proc/${server.pid}/cmdline`, "utf8")).not.toContain(password)
    }))

  it.scopedLive("gives a cluster of a version without passwords one at its next start, and keeps its data and its own rules", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      const use = <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
        Effect.scoped(
          Effect.flatMap(makeEmbeddedPostgres({ folder }), (server) =>
            Effect.provide(Effect.flatMap(SqlClient.SqlClient, work), Database.layer(server, pool)))
        )
      yield* use((sql) =>
        Effect.all([sql`create table kept (n int)`, sql`insert into kept values (7)`, sql`alter role postgres password null`])
      )
      const rules = join(folder, "cluster/pg_hba.conf")
      writeFileSync(rules, "local all all trust\n")
      rmSync(fileIn(folder))
      rmSync(join(folder, "cluster/belltower.hba.conf"))
      const [row] = yield* use((sql) => sql<{ n: number }>`select n from kept`)
      expect(row).toEqual({ n: 7 })
      expect(readFileSync(rules, "utf8")).toBe("local all all trust\n")
      const server = yield* makeEmbeddedPostgres({ folder })
      expect(yield* comeIn(server.host, "")).not.toBe("in")
      expect(yield* comeIn(server.host, passwordIn(folder))).toBe("in")
    }))

  it.scopedLive("finishes setting a password where a start was killed before or after it was set", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      const start = Effect.scoped(Effect.asVoid(makeEmbeddedPostgres({ folder })))
      yield* start
      const password = passwordIn(folder)
      // Killed after the password was set: its file has not got its name yet.
      renameSync(fileIn(folder), `${fileIn(folder)}.new`)
      yield* start
      expect(passwordIn(folder)).toBe(password)
      // Killed before: another one was written, and the role still has the old one.
      writeFileSync(`${fileIn(folder)}.new`, "another-password\n", { mode: 0o600 })
      rmSync(fileIn(folder))
      const server = yield* makeEmbeddedPostgres({ folder })
      expect(existsSync(`${fileIn(folder)}.new`)).toBe(false)
      expect(yield* comeIn(server.host, password)).toBe(wrongPassword)
      expect(yield* comeIn(server.host, "another-password")).toBe("in")
    }))

  it.scopedLive("serves other processes of its user, which read the password beside the data", () =>
    Effect.gen(function*() {
      const folder = yield* newFolder
      const server = yield* makeEmbeddedPostgres({ folder })
      // The server says that it is ready a moment before its lock file does.
      const address = Option.getOrThrow(yield* until(servedByAnother(folder), Option.isSome))
      expect(address).toBe(addressOf(server))
      const client = Database.layer(Redacted.make(address), { ...pool, maxConnections: 1 })
      expect(Exit.isSuccess(yield* Effect.exit(Effect.provide(SqlClient.SqlClient, client)))).toBe(true)
    }))
})
