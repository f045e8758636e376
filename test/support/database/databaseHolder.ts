/** A program with an embedded database: it prints `ready <server pid>`, then every number it has committed. */
import { SqlClient } from "@effect/sql"
import { Cause, Effect, Exit } from "effect"
import { writeSync } from "node:fs"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { makeEmbeddedPostgres } from "../../../src/store/postgres/embedded/EmbeddedPostgres.ts"

const [folder = "", path] = process.argv.slice(2)
const say = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const hold = Effect.gen(function*() {
  const server = yield* makeEmbeddedPostgres({ folder, ...(path === undefined ? {} : { path }) })
  return yield* Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table if not exists kept (n int generated always as identity)`
    yield* say(`ready ${server.pid}`)
    const insert = sql<{ n: number }>`insert into kept default values returning n`
    const commit = Effect.flatMap(insert, (rows) => say(`${rows[0]?.n}`))
    // Its pipe has room for the numbers of a minute that nobody reads.
    return yield* Effect.forever(Effect.delay(commit, "5 millis"))
  }).pipe(Effect.provide(Database.layer(server, { maxConnections: 1, applicationName: "holder" })))
}).pipe(Effect.scoped)

const fiber = Effect.runFork(hold)
process.on("SIGTERM", () => fiber.unsafeInterruptAsFork(fiber.id()))
fiber.addObserver((exit) => {
  if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) {
    writeSync(1, `failed ${Cause.squash(exit.cause)}\n`)
    process.exitCode = 1
  }
})
