/** The program: one process for everything, or one part of a larger deployment. */
import { NodeRuntime } from "@effect/platform-node"
import { SqlError } from "@effect/sql"
import { Cause, Console, Effect, Either, Exit, Layer, Logger, Option, Schema } from "effect"
import { join } from "node:path"
import { RegionId } from "../schema/check/Region.ts"
import { UserId } from "../schema/Ids.ts"
import { EmailAddress } from "../schema/people/Person.ts"
import { programVersion } from "../schema/ProgramVersion.ts"
import { backupCommands } from "./BackupCommands.ts"
import { banner } from "./Banner.ts"
import { documentCommands } from "./client/DocumentCommands.ts"
import { runConfig } from "./ConfigCommand.ts"
import { type Deployment, runOn, runProbe } from "./Deployment.ts"
import { secretsOf } from "./DeploymentSecrets.ts"
import { runDoctor } from "./doctor/Doctor.ts"
import { helpOf, unknownArgument, unknownCommand, usage, usageOf } from "./domain/program/CommandHelp.ts"
import { type CommandName, commands, isCommand } from "./domain/program/Commands.ts"
import { type Role, roles } from "./domain/program/RoleOptions.ts"
import { programCommand } from "./domain/workspace/ProgramCommand.ts"
import { tuneGarbageCollection } from "./GarbageCollection.ts"
import { inviteOptions, runInvite } from "./InviteCommand.ts"
import { kafkaCommands } from "./KafkaCommands.ts"
import { baseUrlOf, withDatabase, withServersDatabase, withVault } from "./OnDatabase.ts"
import { loggerOf, say, sayFailure, withoutNodesText } from "./Output.ts"
import { probeCommands } from "./ProbeCommands.ts"
import { secretCommands } from "./RotateSecret.ts"
import { BadSetting, type LogFormat, logFormatOf, readSettings, type Settings } from "./Settings.ts"
import { RegionRemoval } from "./store/check/RegionRemoval.ts"
import { SignInLinks } from "./store/people/SignInLinks.ts"
import { addressOf, makeEmbeddedPostgres } from "./store/postgres/EmbeddedPostgres.ts"
import { migrate, verify } from "./store/postgres/Migrations.ts"
import { OperatorInvitations } from "./store/workspace/OperatorInvitations.ts"
import { telemetryOf } from "./Telemetry.ts"
import { unknownSettings } from "./UnknownSettings.ts"

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
      return yield* new BadSetting({ message: usageOf("remove-region") })
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
const speaking: ReadonlySet<CommandName> = new Set<CommandName>([
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

const logging = (settings: Settings, word: CommandName) =>
  Layer.provideMerge(
    isRole(word) ? telemetryOf(settings, word) : Layer.empty,
    Layer.merge(
      loggerOf(settings.logFormat, speaking.has(word)),
      Logger.minimumLogLevel(settings.logLevel)
    )
  )

type Environment = Readonly<Record<string, string | undefined>>

/** The commands that need valid settings. */
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
} satisfies Partial<Record<CommandName, (settings: Settings, rest: ReadonlyArray<string>) => Effect.Effect<unknown, unknown>>>

/** Those that end with a code of their own. They need no settings, or say what is wrong with them. */
const inquiries = { ...documentCommands, config: runConfig, doctor: runDoctor } satisfies Record<
  Exclude<CommandName, keyof typeof jobs>,
  (rest: ReadonlyArray<string>, environment: Environment) => Effect.Effect<number, unknown>
>

const isInquiry = (word: CommandName): word is keyof typeof inquiries => Object.hasOwn(inquiries, word)

const isRole = (word: CommandName): word is Role => roles.some((role) => role === word)

const warnOfUnknownSettings = Effect.flatMap(unknownSettings(process.env), Effect.forEach((line) => Effect.logWarning(line)))

/** The format of what is written before the settings are read, and if they cannot be. */
const format = logFormatOf(process.env)

const refused = (message: string) => Effect.fail(new BadSetting({ message }))

const runCommand = Effect.fn("Main.runCommand")(function*(word: CommandName, rest: ReadonlyArray<string>) {
  const [first] = rest
  if (first !== undefined && commands[word].arguments === "") return yield* refused(unknownArgument(word, first))
  if (isInquiry(word)) return yield* inquiries[word](rest, process.env)
  const settings = yield* readSettings(isRole(word) ? word : word === "kafka-setup" ? null : "all", process.env)
  const job: Effect.Effect<unknown, unknown> = jobs[word](settings, rest)
  yield* Effect.provide(Effect.zipRight(warnOfUnknownSettings, job), logging(settings, word))
  return 0
})

const asksForHelp = (word: string): boolean => word === "--help" || word === "-h"

const program = Effect.gen(function*() {
  yield* withoutNodesText(format)
  yield* tuneGarbageCollection
  const [word = "all", ...rest] = process.argv.slice(2)
  if (word === "--version") return yield* Console.log(programVersion)
  const subject = word === "help" ? rest[0] : asksForHelp(word) ? undefined : word
  if (subject === undefined) return yield* Console.log(usage)
  if (!isCommand(subject)) return yield* refused(unknownCommand(subject))
  return yield* word === "help" || rest.some(asksForHelp) ? Console.log(helpOf(subject)) : runCommand(subject, rest)
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
