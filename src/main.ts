/** The program: one process for everything, or one part of a larger deployment. */
import { NodeRuntime } from "@effect/platform-node"
import { SqlError } from "@effect/sql"
import { Cause, Console, Effect, Either, Exit, Layer, Logger, Option, Schema } from "effect"
import { join } from "node:path"
import { RegionId } from "../schema/check/Region.ts"
import { UserId } from "../schema/Ids.ts"
import { EmailAddress } from "../schema/people/Person.ts"
import { backupCommands } from "./BackupCommands.ts"
import { banner } from "./Banner.ts"
import { documentCommands } from "./client/DocumentCommands.ts"
import { type Deployment, runOn, runProbe } from "./Deployment.ts"
import { secretsOf } from "./DeploymentSecrets.ts"
import { programCommand } from "./domain/workspace/ProgramCommand.ts"
import { tuneGarbageCollection } from "./GarbageCollection.ts"
import { inviteOptions, runInvite } from "./InviteCommand.ts"
import { kafkaCommands } from "./KafkaCommands.ts"
import { baseUrlOf, withDatabase, withServersDatabase, withVault } from "./OnDatabase.ts"
import { loggerOf, say, sayFailure, withoutNodesText } from "./Output.ts"
import { probeCommands } from "./ProbeCommands.ts"
import { secretCommands } from "./RotateSecret.ts"
import { BadSetting, type LogFormat, logFormatOf, readSettings, type Role, type Settings } from "./Settings.ts"
import { RegionRemoval } from "./store/check/RegionRemoval.ts"
import { SignInLinks } from "./store/people/SignInLinks.ts"
import { addressOf, makeEmbeddedPostgres } from "./store/postgres/EmbeddedPostgres.ts"
import { migrate, verify } from "./store/postgres/Migrations.ts"
import { OperatorInvitations } from "./store/workspace/OperatorInvitations.ts"
import { unknownSettings } from "./UnknownSettings.ts"

const usage = `Usage: ${programCommand("[all | api | runner | probe | migrate | database | sign-in-link <email> [--operator] |")}
                              invite | remove-region <region> | probe-token <region> | probes | revoke-probe <id> |
                              kafka-setup | rotate-secret | backup <file> | restore <file> | move-database |
                              apply <file> | export]

  all       everything in one process (default)
  api       REST, MCP, live stream and status pages
  runner    the actors, check results and deliveries
  probe     runs the checks of one region; needs no database and no secret, but at its first start a token
  migrate   applies database migrations and exits
  database  runs only the built-in PostgreSQL and prints its DATABASE_URL
  sign-in-link <email or account id> [--operator]
            prints a one-time sign-in link for that person, valid for 15 minutes; with --operator, the session that it
            starts is the operator's, who sets the mail server in the dashboard
  invite [--uses <n>] [--days <d>] | invite --end <code>
            prints an invitation to create a workspace, for one and for 7 days if not told otherwise; or ends one
  remove-region <region> [--move-to <region>]
            removes a region whose probes are gone for good; monitors that name it move to the other region
  probe-token <region> [--uses <n>] [--days <d>]
            prints a token with which probes of a region enrol (BELLTOWER_PROBE_TOKEN); once and within a day by default
  probes    lists the probes: id, region, state, when each was last seen, version
  revoke-probe <id>
            ends the identity of a probe: its results are refused from now on, and its region gets another key
  kafka-setup [--region <region>]... [--new-passwords] [--print]
            with the KAFKA_* settings of an administrator: makes the topics, a user for the servers and one for the probes of
            each region, and their access; prints the users' passwords once. --print only shows topics and access. Where users
            are certificates, name the principals: --servers <principal>, --region <region>=<principal>
  rotate-secret  seals everything with BELLTOWER_SECRET that BELLTOWER_SECRET_PREVIOUS has sealed, while processes run
            with both; without these settings, replaces the secret in the data folder of a server that is stopped
  backup <file> [--plain]
            writes everything that the database holds to a file, encrypted by BELLTOWER_BACKUP_KEY, while processes run
  restore <file> [--verify] [--into <url>] [--replace] [--plain] [--still] [--new-kafka]
            fills an empty database with a backup; --verify only reads it and compares counts and checksums; --replace removes
            what the database holds; --still: no process has run since the backup, so what is due is sent; --new-kafka: the
            brokers are new, too
  restore --recovered
            after the database was recovered by other means: keeps back what was due in between, and says what is lost
  move-database --to <url | embedded> [--replace] [--new-kafka]
            copies the database of the settings, which no process uses, to another server
  apply <file> [--check] [--prune]
            brings a workspace to what a YAML or JSON file says; --check only shows the differences and ends with
            2 if there are any; --prune deletes what an earlier apply made and the file no longer lists
  export    prints a workspace as such a file
            Both call the server at BELLTOWER_URL with the key BELLTOWER_API_KEY.

Settings are environment variables; docs/operations.md lists them.`

const announce = (role: Role, baseUrl: string, format: LogFormat): Deployment["ready"] => ({ host, port }, news) =>
  role === "all" || role === "api"
    // A link that signs people in belongs in no log.
    ? say(format, banner(baseUrl, news), [`Belltower is ready at ${baseUrl}`])
    : Effect.logInfo(`The ${role} process is ready; health check at ${host}:${port}/readyz`)

const run = Effect.fn("Main.run")(function*(role: Role, settings: Settings) {
  const baseUrl = baseUrlOf(settings)
  const deployment = { settings, role, baseUrl, ready: announce(role, baseUrl, settings.logFormat) }
  if (role === "probe") return yield* runProbe(deployment)
  const secrets = yield* secretsOf(settings)
  return yield* withDatabase(settings, (database) => runOn({ ...deployment, secrets }, database))
})

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

/** Lets operators without a mail server sign people in. Works whether the server is running or not. */
const printSignInLink = Effect.fn("Main.printSignInLink")(function*(settings: Settings, rest: ReadonlyArray<string>) {
  const forOperator = rest.includes("--operator")
  const [given = ""] = rest.filter((word) => word !== "--operator")
  const wanted = given.startsWith("usr_") && !given.includes("@")
    ? { id: UserId.make(given) }
    : {
      email: yield* Effect.mapError(Schema.decode(EmailAddress)(given), () =>
        new BadSetting({
          message: `A valid email address is required. Example: ${programCommand("sign-in-link ada@example.com")}`
        }))
    }
  const create = Effect.flatMap(SignInLinks, (links) => links.createForOperator(wanted, forOperator))
  const token = yield* withVault(settings, Effect.provide(create, SignInLinks.Default))
  if (Option.isNone(token)) return yield* new BadSetting({ message: `There is no account ${given}` })
  yield* Console.log(`${baseUrlOf(settings)}/auth/link/${token.value}`)
})

/** Invites to a workspace where BELLTOWER_REGISTRATION admits nobody else. Works whether the server is running or not. */
const invite = Effect.fn("Main.invite")(function*(settings: Settings, rest: ReadonlyArray<string>) {
  const wanted = yield* Either.mapLeft(inviteOptions(rest), (message) => new BadSetting({ message }))
  if (Option.contains(settings.registration, "closed") && "uses" in wanted) {
    return yield* new BadSetting({ message: "BELLTOWER_REGISTRATION=closed admits nobody. Set it to invite first." })
  }
  const work = Effect.flatMap(OperatorInvitations, (invitations) => runInvite(invitations, wanted, baseUrlOf(settings)))
  const lines = yield* withServersDatabase(
    settings,
    (database) =>
      Effect.zipRight(verify, work).pipe(Effect.provide(OperatorInvitations.Default.pipe(Layer.provideMerge(database))))
  )
  yield* Effect.forEach(lines, (line) => Console.log(line), { discard: true })
})

/** Regions belong to the deployment, so no key of a workspace may remove one. */
const removeRegion = Effect.fn("Main.removeRegion")(
  function*(settings: Settings, [region, option, target]: ReadonlyArray<string>) {
    if (region === undefined || (option === undefined ? target !== undefined : option !== "--move-to" || target === undefined)) {
      return yield* new BadSetting({ message: "Usage: belltower remove-region <region> [--move-to <region>]" })
    }
    const idOf = (text: string) =>
      Effect.mapError(Schema.decode(RegionId)(text), () => new BadSetting({ message: `"${text}" is not the name of a region` }))
    const from = yield* idOf(region)
    const to = target === undefined ? null : yield* idOf(target)
    const removing = Effect.flatMap(RegionRemoval, (regions) => regions.remove(from, to))
    const moved = yield* withServersDatabase(
      settings,
      (layer) => Effect.zipRight(verify, removing).pipe(Effect.provide(RegionRemoval.Default.pipe(Layer.provideMerge(layer))))
    )
    const rest = to === null ? "" : `; ${moved} monitors are checked from ${to} instead`
    yield* say(settings.logFormat, `Removed the region ${from}${rest}`)
  }
)

/** The commands whose stdout is for scripts, or for the eyes of the operator. */
const speaking: ReadonlySet<string> = new Set<Word>([
  "database",
  "sign-in-link",
  "invite",
  "probe-token",
  "probes",
  "kafka-setup",
  "backup",
  "restore",
  "move-database"
])

const logging = (settings: Settings, word: Word) =>
  Layer.merge(
    loggerOf(settings.logFormat, speaking.has(word)),
    Logger.minimumLogLevel(settings.logLevel)
  )

const jobs = {
  all: (settings: Settings) => run("all", settings),
  api: (settings: Settings) => run("api", settings),
  runner: (settings: Settings) => run("runner", settings),
  probe: (settings: Settings) => run("probe", settings),
  migrate: bringUpToDate,
  database: serveDatabase,
  "sign-in-link": printSignInLink,
  invite,
  "remove-region": removeRegion,
  ...probeCommands,
  ...kafkaCommands,
  ...secretCommands,
  ...backupCommands
} satisfies Record<
  | Role
  | ("migrate" | "database" | "sign-in-link" | "invite" | "remove-region")
  | keyof (typeof probeCommands & typeof kafkaCommands & typeof secretCommands & typeof backupCommands),
  (settings: Settings, rest: ReadonlyArray<string>) => Effect.Effect<unknown, unknown>
>
type Word = keyof typeof jobs
const isWord = (word: string): word is Word => Object.hasOwn(jobs, word)

const isRole = (word: Word): word is Role => word === "all" || word === "api" || word === "runner" || word === "probe"

type ClientWord = keyof typeof documentCommands
const isClientWord = (word: string): word is ClientWord => Object.hasOwn(documentCommands, word)

const warnOfUnknownSettings = Effect.flatMap(unknownSettings(process.env), Effect.forEach((line) => Effect.logWarning(line)))

/** The format of what is written before the settings are read, and if they cannot be. */
const format = logFormatOf(process.env)

const program = Effect.gen(function*() {
  yield* withoutNodesText(format)
  yield* tuneGarbageCollection
  const [word = "all", ...rest] = process.argv.slice(2)
  if (word === "--help" || word === "-h" || word === "help") return yield* Console.log(usage)
  if (isClientWord(word)) return yield* documentCommands[word](rest, process.env)
  if (!isWord(word)) {
    const known = [...Object.keys(jobs), ...Object.keys(documentCommands)].join(", ")
    return yield* new BadSetting({ message: `Unknown command "${word}". Use one of ${known}; --help describes them.` })
  }
  const settings = yield* readSettings(isRole(word) ? word : word === "kafka-setup" ? null : "all", process.env)
  const job: Effect.Effect<unknown, unknown> = jobs[word](settings, rest)
  yield* Effect.provide(Effect.zipRight(warnOfUnknownSettings, job), logging(settings, word))
  return 0
})

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const inner = cause.cause instanceof Error ? cause.cause.message : ""
  // The message of a failed statement is the same for all; the database says why.
  const outer = cause instanceof SqlError.SqlError ? "" : cause.message
  return [outer, inner].find((text) => text !== "" && text !== "An error has occurred") ?? cause.name
}

/** Prints a failed start as one line. Other failures are logged where they happen. */
const reported = program.pipe(
  Effect.sandbox,
  Effect.catchAll((cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.failCause(cause)
      : Effect.zipRight(sayFailure(format, messageOf(Cause.squash(cause))), Effect.fail("stopped"))
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
