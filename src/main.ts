/** The program: one process for everything, or one part of a larger deployment. */
import { NodeRuntime } from "@effect/platform-node"
import { SqlError } from "@effect/sql"
import { Cause, Console, Effect, Exit, Fiber, Layer, Logger, Option, Redacted, Schema } from "effect"
import { join } from "node:path"
import { EmailAddress } from "../schema/people/Person.ts"
import { banner } from "./Banner.ts"
import { type Deployment, runOn, runProbe } from "./Deployment.ts"
import { withoutTrailing } from "./domain/TrimText.ts"
import { tuneGarbageCollection } from "./GarbageCollection.ts"
import { BadSetting, readSettings, type Role, type Settings } from "./Settings.ts"
import { SignInLinks } from "./store/people/SignInLinks.ts"
import * as Database from "./store/postgres/Database.ts"
import { addressOf, makeEmbeddedPostgres, servedByAnother } from "./store/postgres/EmbeddedPostgres.ts"
import { migrate } from "./store/postgres/Migrations.ts"
import { deploymentSecret } from "./store/SecretFile.ts"
import { Vault } from "./store/Vault.ts"
import { unknownSettings } from "./UnknownSettings.ts"

const usage = `Usage: belltower [all | api | runner | probe | migrate | database | sign-in-link <email>]

  all       everything in one process (default)
  api       REST, MCP, live stream and status pages
  runner    the actors, check results and deliveries
  probe     checks for one region (BELLTOWER_REGION); needs no database
  migrate   brings the database up to date and ends
  database  runs the built-in PostgreSQL alone and prints its DATABASE_URL
  sign-in-link <email>
            prints a link by which that person signs in once, within 15 minutes

Settings are environment variables; README.md lists them.`

const announce = (role: Role, baseUrl: string): Deployment["ready"] => ({ host, port }) =>
  role === "all" || role === "api"
    ? Console.log(banner(baseUrl))
    : Effect.logInfo(`${role} is up; health at ${host}:${port}/readyz`)

const deploymentOf = (role: Role, settings: Settings) =>
  Effect.gen(function*() {
    const secret = Option.isSome(settings.secret) ? settings.secret.value : yield* deploymentSecret(settings.dataDir)
    const baseUrl = withoutTrailing(Option.getOrElse(settings.baseUrl, () => `http://localhost:${settings.port}`), "/")
    const deployment: Deployment = { settings, role, secret, baseUrl, ready: announce(role, baseUrl) }
    return deployment
  })

/** Gives a database for as long as `use` runs: the one at DATABASE_URL, or a server of our own, whose end is ours too. */
const withDatabase = <A, E>(
  settings: Settings,
  use: (database: ReturnType<typeof Database.layer>) => Effect.Effect<A, E>
) => {
  const pool = { maxConnections: settings.databasePool, applicationName: "belltower" }
  if (Option.isSome(settings.databaseUrl)) return use(Database.layer(settings.databaseUrl.value, pool))
  return Effect.scoped(Effect.gen(function*() {
    const server = yield* makeEmbeddedPostgres({ folder: join(settings.dataDir, "postgres") })
    const app = yield* Effect.fork(use(Database.layer(server, pool)))
    return yield* Effect.raceFirst(Fiber.join(app), server.ended).pipe(
      // The server goes only when everything that uses it has closed.
      Effect.onExit(() => Fiber.interrupt(app))
    )
  }))
}

const run = (role: Role, settings: Settings) =>
  Effect.gen(function*() {
    const deployment = yield* deploymentOf(role, settings)
    return role === "probe"
      ? yield* runProbe(deployment)
      : yield* withDatabase(settings, (database) => runOn(deployment, database))
  })

const bringUpToDate = (settings: Settings) =>
  withDatabase(
    settings,
    (database) =>
      Effect.flatMap(migrate, (done) =>
        Console.log(
          done.length === 0 ? "The database is up to date" : done.map(([, name]) => `Applied ${name}`).join("\n")
        )).pipe(Effect.provide(database))
  )

/** As many connections as a small deployment of several processes may open. */
const sharedServer = { max_connections: "200" }

/** The built-in server for other processes: where it is goes to stdout as the only line, for scripts to read. */
const serveDatabase = (settings: Settings) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeEmbeddedPostgres({ folder: join(settings.dataDir, "postgres"), settings: sharedServer })
    yield* Console.log(addressOf(server))
    return yield* server.ended
  }))

const notOurs = new BadSetting({
  message: "This database holds no Belltower of this version: start Belltower on it first, with the same settings as here"
})

/** For whoever runs a server that sends no mail: a way in for anyone, beside the running server or without one. */
const printSignInLink = (settings: Settings, [given = ""]: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const email = yield* Effect.mapError(Schema.decode(EmailAddress)(given), () =>
      new BadSetting({ message: "Say for whom, by an email address: belltower sign-in-link ada@example.com" }))
    const { baseUrl, secret } = yield* deploymentOf("all", settings)
    const served = Option.isSome(settings.databaseUrl)
      ? settings.databaseUrl
      : Option.map(yield* servedByAnother(join(settings.dataDir, "postgres")), (address) =>
        Redacted.make(address))
    const token = yield* withDatabase({ ...settings, databaseUrl: served }, (database) =>
      Effect.flatMap(SignInLinks, (links) =>
        links.create({ email, next: null, mailed: false, newcomer: false })).pipe(
          Effect.catchAllDefect((defect) =>
            defect instanceof SqlError.SqlError ? Effect.fail(notOurs) : Effect.die(defect)
          ),
          Effect.provide(SignInLinks.Default.pipe(Layer.provide(Layer.merge(Vault.layer(secret), database))))
        ))
    yield* Console.log(`${baseUrl}/auth/link/${token.token}`)
  })

const toStderr = Logger.replace(Logger.defaultLogger, Logger.prettyLogger({ stderr: true }))
const jsonToStderr = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.jsonLogger))

const logging = (settings: Settings, word: Word) =>
  Layer.merge(
    word === "database" || word === "sign-in-link"
      ? settings.logFormat === "json" ? jsonToStderr : toStderr
      : settings.logFormat === "json"
      ? Logger.json
      : Logger.pretty,
    Logger.minimumLogLevel(settings.logLevel)
  )

/** What can be asked of the program. */
const jobs = {
  all: (settings: Settings) => run("all", settings),
  api: (settings: Settings) => run("api", settings),
  runner: (settings: Settings) => run("runner", settings),
  probe: (settings: Settings) => run("probe", settings),
  migrate: bringUpToDate,
  database: serveDatabase,
  "sign-in-link": printSignInLink
} satisfies Record<
  Role | "migrate" | "database" | "sign-in-link",
  (settings: Settings, rest: ReadonlyArray<string>) => Effect.Effect<unknown, unknown>
>
type Word = keyof typeof jobs
const isWord = (word: string): word is Word => Object.hasOwn(jobs, word)

const isRole = (word: Word): word is Role => word === "all" || word === "api" || word === "runner" || word === "probe"

const warnOfUnknownSettings = Effect.flatMap(unknownSettings(process.env), Effect.forEach((line) => Effect.logWarning(line)))

const program = Effect.gen(function*() {
  yield* tuneGarbageCollection
  const [word = "all", ...rest] = process.argv.slice(2)
  if (word === "--help" || word === "-h" || word === "help") return yield* Console.log(usage)
  if (!isWord(word)) {
    const known = Object.keys(jobs).join(", ")
    return yield* new BadSetting({ message: `There is no role "${word}": choose among ${known}; --help tells what they do` })
  }
  const settings = yield* readSettings(isRole(word) ? word : "all", process.env)
  const job: Effect.Effect<unknown, unknown> = jobs[word](settings, rest)
  return yield* Effect.provide(Effect.zipRight(warnOfUnknownSettings, job), logging(settings, word))
})

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const inner = cause.cause instanceof Error ? cause.cause.message : ""
  return [cause.message, inner].find((text) => text !== "" && text !== "An error has occurred") ?? cause.name
}

/** A start that fails says so in one line; everything else is logged where it happens. */
const explained = program.pipe(
  Effect.sandbox,
  Effect.catchAll((cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.failCause(cause)
      : Effect.zipRight(Console.error(`belltower: ${messageOf(Cause.squash(cause))}`), Effect.fail("stopped"))
  ),
  // Spans of a hot path cost more than the path.
  Effect.withTracerEnabled(false)
)

NodeRuntime.runMain(explained, {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause) ? 0 : 1)
})
