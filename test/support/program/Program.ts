/** The whole program in this process: every real handler, with its own database and a free port. */
import { Context, Deferred, Effect, Layer, Redacted, type Scope } from "effect"
import { runOn } from "../../../src/deployment/Deployment.ts"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { readSettings } from "../../../src/settings/Settings.ts"
import { InstallationKeys } from "../../../src/store/InstallationKeys.ts"
import { KeyedHashes } from "../../../src/store/KeyedHashes.ts"
import { LinkKeys } from "../../../src/store/LinkKeys.ts"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { Vault } from "../../../src/store/Vault.ts"
import { newDatabase } from "../database/TestDatabase.ts"
import { testSecret } from "./TestInstallation.ts"

export const programBaseUrl = "https://belltower.test"

/** `environment` adds to the settings. The database is exposed for tests that inspect it; `through` leads the program to it. */
export const programOf = (
  environment: Readonly<Record<string, string>> = {},
  through: (address: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, never, Scope.Scope> = Effect.succeed
) =>
  Layer.scopedContext(Effect.gen(function*() {
    const direct = yield* newDatabase("partitioned")
    const address = yield* through(direct)
    const settings = yield* readSettings("all", { PORT: "0", BELLTOWER_HOST: "127.0.0.1", ...environment })
    const serving = yield* Deferred.make<ServerAddress["Type"], unknown>()
    const deployment = {
      settings,
      role: "all",
      secrets: { present: Redacted.make(testSecret), previous: null },
      baseUrl: programBaseUrl,
      ready: (place: ServerAddress["Type"]) => Effect.asVoid(Deferred.succeed(serving, place))
    } as const
    const pool = (maxConnections: number) =>
      Database.layer(address, { maxConnections, applicationName: "belltower test program" })
    yield* runOn(deployment, pool(6)).pipe(
      Effect.tapErrorCause((cause) => Deferred.failCause(serving, cause)),
      Effect.forkScoped
    )
    const place = yield* Deferred.await(serving)
    const database = yield* Layer.build(Database.layer(direct, { maxConnections: 3, applicationName: "belltower test" }))
    return Context.add(database, ServerAddress, place)
  })).pipe(Layer.orDie)

/** The keys of a program on its database. */
export const programKeys = Layer.merge(LinkKeys.layer, KeyedHashes.layer).pipe(
  Layer.provideMerge(InstallationKeys.Default),
  Layer.provideMerge(Vault.layer(Redacted.make(testSecret)))
)

export const TestProgram = programOf()
