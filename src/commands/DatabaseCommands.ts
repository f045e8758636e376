/** The commands about the database itself: its migrations, and the built-in server for other processes. */
import { Console, Effect } from "effect"
import { join } from "node:path"
import { say } from "../deployment/Output.ts"
import type { Settings } from "../settings/Settings.ts"
import { addressOf, makeEmbeddedPostgres } from "../store/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../store/postgres/Migrations.ts"
import { withDatabase } from "./OnDatabase.ts"

const bringUpToDate = (settings: Settings) =>
  withDatabase(
    settings,
    (database) =>
      Effect.flatMap(migrate, (done) =>
        say(
          settings.logFormat,
          done.length === 0 ? "The database is up to date" : done.map((name) => `Applied ${name}`).join("\n")
        )).pipe(Effect.provide(database))
  )

/** Enough connections for a small deployment of several processes. */
const sharedServer = { max_connections: "200" }

/** Runs the built-in server for other processes. Its URL is the only line on stdout, so scripts can read it. */
const serveDatabase = (settings: Settings) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeEmbeddedPostgres({ folder: join(settings.dataDir, "postgres"), settings: sharedServer })
    yield* Console.log(addressOf(server))
    return yield* server.ended
  }))

export const databaseCommands = { migrate: bringUpToDate, database: serveDatabase }
