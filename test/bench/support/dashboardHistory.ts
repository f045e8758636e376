/** Fills the database of a running program with the history of a workspace's monitors. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Logger, LogLevel, Redacted } from "effect"
import { join } from "node:path"
import { startOf } from "../../../src/domain/check/history/CheckRollup.ts"
import { CheckBlocks } from "../../../src/store/check/CheckBlocks.ts"
import { CheckPartitions } from "../../../src/store/check/CheckPartitions.ts"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { servedByAnother } from "../../../src/store/postgres/embedded/EmbeddedPostgres.ts"
import * as Store from "../../../src/store/Store.ts"
import { testKeys } from "../../support/program/TestInstallation.ts"
import { hour, type Known, seedHistory } from "./historyRows.ts"

const [folder = "", workspaceId = "", days = "90", checkDays = "2"] = process.argv.slice(2)

const fill = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())
  const known = yield* sql<Known>`
    select id, workspace_id as "workspaceId" from monitors where workspace_id = ${workspaceId} order by id`
  yield* seedHistory(known, Number(days), startOf(Date.now(), hour), Number(checkDays))
})

const program = Effect.gen(function*() {
  const address = yield* Effect.flatten(servedByAnother(join(folder, "postgres")))
  const database = Database.layer(Redacted.make(address), { maxConnections: 4, applicationName: "belltower bench" })
  yield* Effect.provide(
    fill,
    Layer.merge(CheckBlocks.Default, Store.layer).pipe(
      Layer.provideMerge(Layer.merge(database, testKeys))
    )
  )
})

await Effect.runPromise(
  program.pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.Warning), Effect.withTracerEnabled(false))
)
process.exit(0)
