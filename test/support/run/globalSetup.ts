/** Once for a whole test run: Kafka, if it can be installed, and a PostgreSQL server with databases that files copy. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Exit, Redacted, Scope } from "effect"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { install } from "../../../infra/kafka/kafka.mjs"
import { CheckPartitions } from "../../../src/store/check/CheckPartitions.ts"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { addressOf, makeEmbeddedPostgres } from "../../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../../src/store/postgres/Migrations.ts"
import { temporaryRoot } from "./TemporaryRoot.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder for what workers keep until the end of the run. */
    runFolder: string
    /** The `postgresql://` address of the server's `postgres` database. */
    databaseServer: string
    /** The names of the databases to copy: with every table, and with the partitions that a program's first start adds. */
    databaseTemplates: { readonly migrated: string; readonly partitioned: string }
  }
}

/** The server does not outlive the run, so that nothing needs to survive the machine: a database is copied in two thirds of the time. */
const forgetful = { fsync: "off", full_page_writes: "off", wal_compression: "off" }

const runFolder = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(temporaryRoot, "belltower-test-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  // Lets the server's user enter when the tests run as root.
  yield* Effect.promise(() => chmod(folder, 0o755))
  return folder
})

const temporaryServer = Effect.fn("temporaryServer")(function*(folder: string) {
  const server = yield* makeEmbeddedPostgres({
    folder: join(folder, "postgres"),
    settings: { max_connections: "200", ...forgetful }
  })
  return addressOf(server)
})

const options = { maxConnections: 2, applicationName: "belltower test setup" }

const on = <A, E>(server: string, name: string, use: Effect.Effect<A, E, Database.Database | SqlClient.SqlClient>) => {
  const there = new URL(server)
  there.pathname = `/${name}`
  return Effect.provide(use, Database.layer(Redacted.make(there.href), options))
}

/** A database that is copied, and is dropped after the run. */
const makeTemplate = Effect.fn("makeTemplate")(function*(server: string, name: string, source: string) {
  const administer = (use: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError.SqlError>) =>
    Effect.flatMap(SqlClient.SqlClient, use).pipe(Effect.provide(Database.layer(Redacted.make(server), options)))
  yield* administer((sql) => sql`create database ${sql(name)} template ${sql(source)}`)
  yield* Effect.addFinalizer(() => Effect.orDie(administer((sql) => sql`drop database if exists ${sql(name)} with (force)`)))
})

/** A program makes 200 partitions when it first starts: half of what its database computes for a start. */
const partitioned = Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain()).pipe(
  Effect.provide(CheckPartitions.Default)
)

export default async (project: TestProject) => {
  await install().catch((error: unknown) => console.warn(`Kafka was not installed: ${String(error)}`))
  const scope = Effect.runSync(Scope.make())
  const templates = { migrated: `belltower_template_${process.pid}`, partitioned: `belltower_partitioned_${process.pid}` }
  await Effect.runPromise(
    Effect.gen(function*() {
      const folder = yield* runFolder
      const given = process.env.BELLTOWER_TEST_DATABASE_URL
      const server = given === undefined || given === "" ? yield* temporaryServer(folder) : given
      yield* makeTemplate(server, templates.migrated, "template1")
      yield* on(server, templates.migrated, migrate)
      yield* makeTemplate(server, templates.partitioned, templates.migrated)
      yield* on(server, templates.partitioned, partitioned)
      project.provide("runFolder", folder)
      project.provide("databaseServer", server)
      project.provide("databaseTemplates", templates)
    }).pipe(Scope.extend(scope))
  )
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
