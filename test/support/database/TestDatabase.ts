/** A migrated database for each test file, on the one server of the test run. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import * as Database from "../../../src/store/postgres/connections/Database.ts"

const options = { maxConnections: 5, applicationName: "belltower test" }

/** On a database of its own, as its administrator. */
export const onServer = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(
    Effect.provide(Database.layer(Redacted.make(inject("databaseServer")), { ...options, maxConnections: 1 })),
    Effect.orDie
  )

/** The address of a new database, dropped with its scope: empty, with every table, or as a program has made it ready for checks. */
export const newDatabase = (kind: "empty" | "migrated" | "partitioned") =>
  Effect.gen(function*() {
    const name = `belltower_test_${randomUUID().replaceAll("-", "")}`
    const source = kind === "empty" ? "template1" : inject("databaseTemplates")[kind]
    yield* Effect.acquireRelease(
      onServer((sql) => sql`create database ${sql(name)} template ${sql(source)} strategy file_copy`),
      () => onServer((sql) => sql`drop database if exists ${sql(name)} with (force)`)
    )
    const address = new URL(inject("databaseServer"))
    address.pathname = `/${name}`
    return Redacted.make(address.href)
  })

/** A pool on a new migrated database. */
export const TestDatabase = Layer.unwrapScoped(
  Effect.map(newDatabase("migrated"), (address) => Database.layer(address, options))
)

/** A pool on a new database without tables. */
export const EmptyDatabase = Layer.unwrapScoped(
  Effect.map(newDatabase("empty"), (address) => Database.layer(address, options))
)
