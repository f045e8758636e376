/** The installation's secret and database for commands, whether a server is running or not. */
import { Effect, Fiber, Layer, Option, Redacted } from "effect"
import { join } from "node:path"
import { secretOrigin, secretsOf } from "../deployment/DeploymentSecrets.ts"
import type { Settings } from "../settings/Settings.ts"
import * as Database from "../store/postgres/connections/Database.ts"
import { makeEmbeddedPostgres, servedByAnother } from "../store/postgres/embedded/EmbeddedPostgres.ts"
import { verify } from "../store/postgres/Migrations.ts"
import { checkSecret } from "../store/SecretCheck.ts"
import { Vault } from "../store/Vault.ts"

/** Runs `use` with the database at DATABASE_URL, or with an embedded server; if that server exits, `use` fails with it. */
export const withDatabase = <A, E>(
  settings: Settings,
  use: (database: ReturnType<typeof Database.layer>) => Effect.Effect<A, E>,
  applicationName = "belltower"
) => {
  const pool = { maxConnections: settings.databasePool, applicationName }
  if (Option.isSome(settings.databaseUrl)) {
    const replica = Option.match(settings.databaseReadUrl, { onNone: () => ({}), onSome: (address) => ({ replica: address }) })
    return use(Database.layer(settings.databaseUrl.value, { ...pool, ...replica }))
  }
  return Effect.scoped(Effect.gen(function*() {
    const server = yield* makeEmbeddedPostgres({ folder: join(settings.dataDir, "postgres") })
    const app = yield* Effect.fork(use(Database.layer(server, pool)))
    return yield* Effect.raceFirst(Fiber.join(app), server.ended).pipe(
      // Stops the server only after everything that uses it has closed.
      Effect.onExit(() => Fiber.interrupt(app))
    )
  }))
}

/** The same for a command: with the database of a server, which may be running; else with an embedded one. */
export const withServersDatabase = <A, E>(
  settings: Settings,
  use: (database: ReturnType<typeof Database.layer>) => Effect.Effect<A, E>
) =>
  Effect.flatMap(
    Option.isSome(settings.databaseUrl)
      ? Effect.succeed(settings.databaseUrl)
      : Effect.map(servedByAnother(join(settings.dataDir, "postgres")), Option.map((address) => Redacted.make(address))),
    (databaseUrl) => withDatabase({ ...settings, databaseUrl }, use)
  )

type DatabaseServices = Vault | Layer.Layer.Success<ReturnType<typeof Database.layer>>

/** Runs a command that needs what is sealed in a database: with the right secret, on a database of this version. */
export const withVaultOn = <A, E>(
  settings: Settings,
  database: ReturnType<typeof Database.layer>,
  command: Effect.Effect<A, E, DatabaseServices>
) =>
  Effect.flatMap(secretsOf(settings), ({ present, previous }) =>
    verify.pipe(
      Effect.zipRight(checkSecret(secretOrigin(settings))),
      Effect.zipRight(command),
      Effect.provide(Layer.merge(Vault.layer(present, previous), database))
    ))

/** The same with the database of a server, which may be running. */
export const withVault = <A, E>(settings: Settings, command: Effect.Effect<A, E, DatabaseServices>) =>
  withServersDatabase(settings, (database) => withVaultOn(settings, database, command))
