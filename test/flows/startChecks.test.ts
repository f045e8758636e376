/** Faults of its database that the program notices before it reports ready. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { existsSync } from "node:fs"
import { rename } from "node:fs/promises"
import { join } from "node:path"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { newDatabase } from "../support/database/TestDatabase.ts"
import { freePort } from "../support/network/FreePort.ts"
import { otherSecret, testSecret } from "../support/program/TestInstallation.ts"
import { clientOf, newAgent } from "./support/Client.ts"
import { newFolder, runProgram, startedFolder, startProgram } from "./support/Program.ts"

/** A program on a database of the test run. */
const makePlace = Effect.fn("makePlace")(function*(kind: "empty" | "migrated" | "partitioned") {
  const address = yield* newDatabase(kind)
  const folder = yield* newFolder
  const database = yield* Layer.build(Database.layer(address, { maxConnections: 1, applicationName: "belltower flow" }))
  const env = { DATABASE_URL: Redacted.value(address), BELLTOWER_SECRET: testSecret }
  /** The one line of a start that fails. */
  const refusal = (own: Readonly<Record<string, string>>, args: ReadonlyArray<string> = []) =>
    Effect.gen(function*() {
      const port = yield* freePort
      const ended = yield* runProgram({
        folder,
        args,
        env: { BELLTOWER_HOST: "127.0.0.1", PORT: String(port), ...env, ...own }
      })
      expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 1, stdout: "" })
      expect(ended.stderr).toMatch(/^belltower: [^\n]+\n$/)
      return ended.stderr.trim()
    })
  return { env, folder, refusal, sql: Context.get(database, SqlClient.SqlClient), start: startProgram({ folder, env }) }
})

describe("a start", () => {
  it.scopedLive("with another secret than the database is sealed with is rejected, also by the command line", () =>
    Effect.gen(function*() {
      const { refusal, start } = yield* makePlace("partitioned")
      const program = yield* start
      const { post } = yield* newAgent(program.baseUrl)
      expect((yield* post("/channels", { name: "Team", type: "webhook", url: "https://hooks.example.com/a" })).status).toBe(201)
      const wrong = { BELLTOWER_SECRET: otherSecret }
      for (const args of [[], ["sign-in-link", "ada@example.com"]]) {
        const line = yield* refusal(wrong, args)
        expect(line).toContain("BELLTOWER_SECRET is not the secret that this database is sealed with. Use the secret of")
        expect(line).not.toContain(wrong.BELLTOWER_SECRET)
      }
      yield* program.signal("SIGTERM")
      yield* program.ended
      const again = yield* start
      expect((yield* clientOf(again.baseUrl).get("/healthz")).status).not.toBe(500)
    }))

  it.scopedLive("on an external database writes no secret of its own", () =>
    Effect.gen(function*() {
      const { folder, refusal } = yield* makePlace("empty")
      for (const args of [[], ["sign-in-link", "ada@example.com"]]) {
        expect(yield* refusal({ BELLTOWER_SECRET: "" }, args)).toContain("BELLTOWER_SECRET is required with DATABASE_URL. Set it")
      }
      expect(existsSync(join(folder, "data", "secret"))).toBe(false)
    }))

  it.scopedLive("on a built-in database whose secret file was lost is rejected with the name of the file", () =>
    Effect.gen(function*() {
      const folder = yield* startedFolder
      yield* Effect.promise(() => rename(join(folder, "data", "secret"), join(folder, "kept")))
      const { code, stderr } = yield* runProgram({ folder, env: { PORT: String(yield* freePort) } })
      expect(code).toBe(1)
      expect(stderr).toMatch(/^belltower: The content of \S*data\/secret is not the secret [^\n]+\n$/)
      yield* Effect.promise(() => rename(join(folder, "kept"), join(folder, "data", "secret")))
      yield* startProgram({ folder })
    }))

  it.scopedLive("on a database of a newer version, or with changed migrations, is rejected", () =>
    Effect.gen(function*() {
      const { refusal, sql } = yield* makePlace("migrated")
      yield* sql`insert into migrations (migration_id, name, checksum, applied_by)
        values (9999, 'future', 'of the future', '9999_future')`
      yield* sql`update migrations set applied_by = '9999_future'`
      expect(yield* refusal({})).toContain("migrated by a newer version of Belltower, which applied 9999_future. Install that")
      expect(yield* refusal({}, ["migrate"])).toContain("newer version")
      yield* sql`delete from migrations where migration_id = 9999`
      yield* sql`update migrations set checksum = 'of other statements' where migration_id = 1`
      expect(yield* refusal({})).toContain("0001_initial had other statements")
    }))

  it.scopedLive("that may not migrate waits for nobody: without its schema it is rejected, with it it starts", () =>
    Effect.gen(function*() {
      const { env, folder, refusal } = yield* makePlace("empty")
      const off = { BELLTOWER_MIGRATE: "off" }
      expect(yield* refusal(off)).toContain("does not have the schema of this version. Run \"node dist/belltower.js migrate\"")
      const migrated = yield* runProgram({ folder, args: ["migrate"], env: { ...env, ...off, BELLTOWER_SECRET: "" } })
      expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining("Applied 0001_initial") })
      yield* startProgram({ folder, env: { ...env, ...off } })
    }))

  it.scopedLive("on a server that is too old or read-only is rejected", () =>
    Effect.gen(function*() {
      const { refusal, sql } = yield* makePlace("migrated")
      // In place of the server's own function, because there is no such server here.
      yield* sql`create schema old`
      yield* sql`create function old.current_setting(name text) returns text language sql stable as
        'select case name when ''server_version_num'' then ''140020'' when ''server_version'' then ''14.20''
                     else pg_catalog.current_setting(name) end'`
      yield* sql`do $$ begin execute format('alter database %I set search_path = old, pg_catalog, public', current_database()); end $$`
      expect(yield* refusal({})).toContain("PostgreSQL 14.20 is too old: Belltower needs version 15 or newer. Upgrade")
      yield* sql`do $$ begin
        execute format('alter database %I reset search_path', current_database());
        execute format('alter database %I set default_transaction_read_only = on', current_database());
      end $$`
      expect(yield* refusal({})).toContain("The database is read-only")
    }))
})
