/** The program: one process for everything, or one part of a larger deployment. */
import { NodeRuntime } from "@effect/platform-node"
import { SqlError } from "@effect/sql"
import { Cause, Console, Effect, Exit, Fiber, Layer, Logger, Option, Redacted, Schema } from "effect"
import { join } from "node:path"
import { UserId } from "../schema/Ids.ts"
import { EmailAddress } from "../schema/people/Person.ts"
import { banner } from "./Banner.ts"
import { documentCommands } from "./client/DocumentCommands.ts"
import { type Deployment, runOn, runProbe } from "./Deployment.ts"
import { withoutTrailing } from "./domain/TrimText.ts"
import { programCommand } from "./domain/workspace/ProgramCommand.ts"
import { tuneGarbageCollection } from "./GarbageCollection.ts"
import { BadSetting, readSettings, type Role, type Settings } from "./Settings.ts"
import { SignInLinks } from "./store/people/SignInLinks.ts"
import * as Database from "./store/postgres/Database.ts"
import { addressOf, makeEmbeddedPostgres, servedByAnother } from "./store/postgres/EmbeddedPostgres.ts"
import { migrate } from "./store/postgres/Migrations.ts"
import { deploymentSecret } from "./store/SecretFile.ts"
import { Vault } from "./store/Vault.ts"
import { unknownSettings } from "./UnknownSettings.ts"

const usage = `Usage: ${programCommand("[all | api | runner | probe | migrate | database | sign-in-link <email> |")}
                              apply <file> | export]

  all       everything in one process (default)
  api       REST, MCP, live stream and status pages
  runner    the actors, check results and deliveries
  probe     runs the checks of one region (BELLTOWER_REGION); needs no database
  migrate   applies database migrations and exits
  database  runs only the built-in PostgreSQL and prints its DATABASE_URL
  sign-in-link <email or account id>
            prints a one-time sign-in link for that person, valid for 15 minutes
  apply <file> [--check] [--prune]
            brings a workspace to what a YAML or JSON file says; --check only shows the differences and ends with
            2 if there are any; --prune deletes what an earlier apply made and the file no longer lists
  export    prints a workspace as such a file
            Both call the server at BELLTOWER_URL with the key BELLTOWER_API_KEY.

Settings are environment variables; README.md lists them.`

const announce = (role: Role, baseUrl: string): Deployment["ready"] => ({ host, port }, signInPath) =>
  role === "all" || role === "api"
    ? Console.log(banner(baseUrl, signInPath))
    : Effect.logInfo(`The ${role} process is ready; health check at ${host}:${port}/readyz`)

const deploymentOf = (role: Role, settings: Settings) =>
  Effect.gen(function*() {
    const secret = Option.isSome(settings.secret) ? settings.secret.value : yield* deploymentSecret(settings.dataDir)
    const baseUrl = withoutTrailing(Option.getOrElse(settings.baseUrl, () => `http://localhost:${settings.port}`), "/")
    const deployment: Deployment = { settings, role, secret, baseUrl, ready: announce(role, baseUrl) }
    return deployment
  })

/** Runs `use` with the database at DATABASE_URL, or with an embedded server; if that server exits, `use` fails with it. */
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
      // Stops the server only after everything that uses it has closed.
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

/** Enough connections for a small deployment of several processes. */
const sharedServer = { max_connections: "200" }

/** Runs the built-in server for other processes. Its URL is the only line on stdout, so scripts can read it. */
const serveDatabase = (settings: Settings) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeEmbeddedPostgres({ folder: join(settings.dataDir, "postgres"), settings: sharedServer })
    yield* Console.log(addressOf(server))
    return yield* server.ended
  }))

const notMigrated = new BadSetting({
  message: `The database does not have the schema of this version. Run "${
    programCommand("migrate")
  }" with the same settings, then try again.`
})

/** Lets operators without a mail server sign people in. Works whether the server is running or not. */
const printSignInLink = (settings: Settings, [given = ""]: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const wanted = given.startsWith("usr_") && !given.includes("@")
      ? { id: UserId.make(given) }
      : {
        email: yield* Effect.mapError(Schema.decode(EmailAddress)(given), () =>
          new BadSetting({
            message: `A valid email address is required. Example: ${programCommand("sign-in-link ada@example.com")}`
          }))
      }
    const { baseUrl, secret } = yield* deploymentOf("all", settings)
    const served = Option.isSome(settings.databaseUrl)
      ? settings.databaseUrl
      : Option.map(yield* servedByAnother(join(settings.dataDir, "postgres")), (address) => Redacted.make(address))
    const token = yield* withDatabase({ ...settings, databaseUrl: served }, (database) =>
      Effect.flatMap(SignInLinks, (links) =>
        links.createForOperator(wanted)).pipe(
          Effect.catchAllDefect((defect) => defect instanceof SqlError.SqlError ? Effect.fail(notMigrated) : Effect.die(defect)),
          Effect.provide(SignInLinks.Default.pipe(Layer.provide(Layer.merge(Vault.layer(secret), database))))
        ))
    if (Option.isNone(token)) {
      return yield* new BadSetting({ message: `There is no account ${given}` })
    }
    yield* Console.log(`${baseUrl}/auth/link/${token.value}`)
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

/** The commands of the program. */
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

type ClientWord = keyof typeof documentCommands
const isClientWord = (word: string): word is ClientWord => Object.hasOwn(documentCommands, word)

const warnOfUnknownSettings = Effect.flatMap(unknownSettings(process.env), Effect.forEach((line) => Effect.logWarning(line)))

const program = Effect.gen(function*() {
  yield* tuneGarbageCollection
  const [word = "all", ...rest] = process.argv.slice(2)
  if (word === "--help" || word === "-h" || word === "help") return yield* Console.log(usage)
  if (isClientWord(word)) return yield* documentCommands[word](rest, process.env)
  if (!isWord(word)) {
    const known = [...Object.keys(jobs), ...Object.keys(documentCommands)].join(", ")
    return yield* new BadSetting({ message: `Unknown command "${word}". Use one of ${known}; --help describes them.` })
  }
  const settings = yield* readSettings(isRole(word) ? word : "all", process.env)
  const job: Effect.Effect<unknown, unknown> = jobs[word](settings, rest)
  yield* Effect.provide(Effect.zipRight(warnOfUnknownSettings, job), logging(settings, word))
  return 0
})

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const inner = cause.cause instanceof Error ? cause.cause.message : ""
  return [cause.message, inner].find((text) => text !== "" && text !== "An error has occurred") ?? cause.name
}

/** Prints a failed start as one line. Other failures are logged where they happen. */
const reported = program.pipe(
  Effect.sandbox,
  Effect.catchAll((cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.failCause(cause)
      : Effect.zipRight(Console.error(`belltower: ${messageOf(Cause.squash(cause))}`), Effect.fail("stopped"))
  ),
  // On hot paths, spans cost more than the work itself.
  Effect.withTracerEnabled(false)
)

/** Commands of clients end with an exit code of their own. */
const codeOf = (result: unknown): number => (typeof result === "number" ? result : 0)

NodeRuntime.runMain(reported, {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? codeOf(exit.value) : Cause.isInterruptedOnly(exit.cause) ? 0 : 1)
})
