/** Once for a whole test run: Kafka, if it can be installed, and a PostgreSQL server with a migrated database that files copy. */
import { SqlClient } from "@effect/sql"
import { Effect, Exit, Redacted, Scope } from "effect"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { install } from "../../infra/kafka/kafka.mjs"
import * as Database from "../../src/store/postgres/connections/Database.ts"
import { addressOf, makeEmbeddedPostgres } from "../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../src/store/postgres/Migrations.ts"
import { temporaryRoot } from "./TemporaryRoot.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** The `postgresql://` address of the server's `postgres` database. */
    databaseServer: string
    /** The name of the migrated database to copy. */
    databaseTemplate: string
  }
}

/** The server does not outlive the run, so that nothing needs to survive the machine: a database is copied in two thirds of the time. */
const forgetful = { fsync: "off", full_page_writes: "off", wal_compression: "off" }

const temporaryServer = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(temporaryRoot, "belltower-test-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  // Lets the server's user enter when the tests run as root.
  yield* Effect.promise(() => chmod(folder, 0o755))
  const server = yield* makeEmbeddedPostgres({
    folder: join(folder, "postgres"),
    settings: { max_connections: "200", ...forgetful }
  })
  return addressOf(server)
})

const options = { maxConnections: 2, applicationName: "belltower test setup" }

const makeTemplate = Effect.fn("makeTemplate")(function*(server: string, name: string) {
  const make = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create database ${sql(name)}`)
  yield* Effect.provide(make, Database.layer(Redacted.make(server), options))
  const there = new URL(server)
  there.pathname = `/${name}`
  yield* Effect.provide(migrate, Database.layer(Redacted.make(there.href), options))
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`drop database if exists ${sql(name)} with (force)`).pipe(
      Effect.provide(Database.layer(Redacted.make(server), options)),
      Effect.orDie
    )
  )
})

export default async (project: TestProject) => {
  await install().catch((error: unknown) => console.warn(`Kafka was not installed: ${String(error)}`))
  const scope = Effect.runSync(Scope.make())
  const template = `belltower_template_${process.pid}`
  await Effect.runPromise(
    Effect.gen(function*() {
      const given = process.env.BELLTOWER_TEST_DATABASE_URL
      const server = given === undefined || given === "" ? yield* temporaryServer : given
      yield* makeTemplate(server, template)
      project.provide("databaseServer", server)
      project.provide("databaseTemplate", template)
    }).pipe(Scope.extend(scope))
  )
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
