/** Runs a command. Each is in a part of the program of its own, which is loaded when it is called. */
import { Effect, Layer, Logger } from "effect"
import { tuneGarbageCollection } from "../deployment/GarbageCollection.ts"
import { loggerOf } from "../deployment/Output.ts"
import { telemetryOf } from "../deployment/Telemetry.ts"
import { unknownArgument } from "../domain/program/CommandHelp.ts"
import { type CommandName, commands } from "../domain/program/Commands.ts"
import { type Role, roles } from "../domain/program/RoleOptions.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import { readSettings, type Settings } from "../settings/Settings.ts"
import { unknownSettings } from "../settings/UnknownSettings.ts"

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

/** The commands that call no database: they lack nothing that a role needs. */
const withoutRole: ReadonlySet<CommandName> = new Set<CommandName>(["database", "kafka-setup"])

const logging = (settings: Settings, word: CommandName) =>
  Layer.provideMerge(
    isRole(word) ? telemetryOf(settings, word) : Layer.empty,
    Layer.merge(
      loggerOf(settings.logFormat, speaking.has(word)),
      Logger.minimumLogLevel(settings.logLevel)
    )
  )

type Environment = Readonly<Record<string, string | undefined>>
type SettingsCommand = (settings: Settings, rest: ReadonlyArray<string>) => Effect.Effect<unknown, unknown>
/** Ends with the code of the program. */
type CodeCommand = (rest: ReadonlyArray<string>, environment: Environment) => Effect.Effect<number, unknown>

const servers = () => import("./ServerCommands.ts").then((part) => part.serverCommands)
const database = () => import("./DatabaseCommands.ts").then((part) => part.databaseCommands)
const probes = () => import("./ProbeCommands.ts").then((part) => part.probeCommands)
const backups = () => import("./BackupCommands.ts").then((part) => part.backupCommands)
const documents = () => import("../client/DocumentCommands.ts").then((part) => part.documentCommands)

/** The commands that need valid settings. */
const settingsCommands = {
  all: () => servers().then(({ all }) => all),
  api: () => servers().then(({ api }) => api),
  runner: () => servers().then(({ runner }) => runner),
  probe: () => import("../deployment/ProbeDeployment.ts").then(({ runProbe }) => runProbe),
  migrate: () => database().then(({ migrate }) => migrate),
  database: () => database().then((part) => part.database),
  "sign-in-link": () => import("./SignInLinkCommand.ts").then(({ printSignInLink }) => printSignInLink),
  invite: () => import("./InviteCommand.ts").then(({ invite }) => invite),
  "remove-region": () => import("./RemoveRegionCommand.ts").then(({ removeRegion }) => removeRegion),
  "probe-token": () => probes().then((part) => part["probe-token"]),
  probes: () => probes().then((part) => part.probes),
  "revoke-probe": () => probes().then((part) => part["revoke-probe"]),
  "kafka-setup": () => import("./KafkaCommands.ts").then(({ kafkaCommands }) => kafkaCommands["kafka-setup"]),
  "rotate-secret": () => import("./RotateSecret.ts").then(({ secretCommands }) => secretCommands["rotate-secret"]),
  backup: () => backups().then(({ backup }) => backup),
  restore: () => backups().then(({ restore }) => restore),
  "move-database": () => backups().then((part) => part["move-database"])
} satisfies Partial<Record<CommandName, () => Promise<SettingsCommand>>>

/** The commands that end with a code of their own. They need no settings, or say what is wrong with them. */
const codeCommands = {
  apply: () => documents().then(({ apply }) => apply),
  export: () => documents().then((part) => part.export),
  config: () => import("./ConfigCommand.ts").then(({ runConfig }) => runConfig),
  doctor: () => import("../doctor/Doctor.ts").then(({ runDoctor }) => runDoctor)
} satisfies Record<Exclude<CommandName, keyof typeof settingsCommands>, () => Promise<CodeCommand>>

const isCodeCommand = (word: CommandName): word is keyof typeof codeCommands => Object.hasOwn(codeCommands, word)

const isRole = (word: CommandName): word is Role => roles.some((role) => role === word)

const warnOfUnknownSettings = (environment: Environment) =>
  Effect.flatMap(unknownSettings(environment), Effect.forEach((line) => Effect.logWarning(line)))

/** The code with which the program ends, unless it fails. */
export const runCommand = Effect.fn("RunCommand.run")(
  function*(word: CommandName, rest: ReadonlyArray<string>, environment: Environment) {
    const [first] = rest
    if (first !== undefined && commands[word].arguments === "") {
      return yield* new BadSetting({ message: unknownArgument(word, first) })
    }
    if (isCodeCommand(word)) {
      const command: CodeCommand = yield* Effect.promise<CodeCommand>(codeCommands[word])
      return yield* command(rest, environment)
    }
    const settings = yield* readSettings(isRole(word) ? word : withoutRole.has(word) ? null : "all", environment)
    const command = yield* Effect.promise<SettingsCommand>(settingsCommands[word])
    yield* tuneGarbageCollection
    yield* Effect.provide(Effect.zipRight(warnOfUnknownSettings(environment), command(settings, rest)), logging(settings, word))
    return 0
  }
)
