/** The whole program in this process: every real handler, with its own database and a free port. */
import { Context, Deferred, Effect, Layer, Redacted, type Scope } from "effect"
import { runOn } from "../../src/Deployment.ts"
import { ServerAddress } from "../../src/Server.ts"
import { readSettings } from "../../src/Settings.ts"
import * as Database from "../../src/store/postgres/Database.ts"
import { newDatabase } from "./TestDatabase.ts"

export const programBaseUrl = "https://belltower.test"

/** `environment` adds to the settings. The database is exposed for tests that inspect it; `through` leads the program to it. */
export const programOf = (
  environment: Readonly<Record<string, string>> = {},
  through: (address: Redacted.Redacted) => Effect.Effect<Redacted.Redacted, never, Scope.Scope> = Effect.succeed
) =>
  Layer.scopedContext(Effect.gen(function*() {
    const direct = yield* newDatabase("migrated")
    const address = yield* through(direct)
    const settings = yield* readSettings("all", { PORT: "0", BELLTOWER_HOST: "127.0.0.1", ...environment })
    const serving = yield* Deferred.make<ServerAddress["Type"], unknown>()
    const secret = Redacted.make("a secret of the test program")
    const deployment = {
      settings,
      role: "all",
      secret,
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

export const TestProgram = programOf()
