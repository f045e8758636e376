/** The settings of a process: environment variables, read once and validated before anything starts. */
import { Config, type ConfigError, ConfigProvider, Effect, Either, LogLevel, Option, Record } from "effect"
import { RegionId } from "../../schema/check/Region.ts"
import { defaultBootstrapsAnHour, registrations } from "../domain/access/Registration.ts"
import { noProxies, parseTrustedProxies } from "../domain/access/TrustedProxies.ts"
import { defaultDeliveryLimits } from "../domain/alert/DeliveryLimits.ts"
import { noTargets, parseAllowedTargets } from "../domain/check/address/Egress.ts"
import { defaultEvidenceQuota } from "../domain/check/history/EvidenceSampling.ts"
import { type Canary, parseCanary } from "../domain/check/probe/Canary.ts"
import { defaultChecksPerWorkspace } from "../domain/check/probe/RunningChecks.ts"
import { defaultWaitingLimits, resultRoom } from "../domain/check/ResultRoom.ts"
import { defaultStreamCaps } from "../domain/event/StreamCaps.ts"
import { defaultClusterPace } from "../domain/health/ClusterPace.ts"
import type { Role } from "../domain/program/RoleOptions.ts"
import { commaList } from "../domain/tools/text/CommaList.ts"
import { withoutTrailing } from "../domain/tools/text/TrimText.ts"
import { defaultCaps, parseCaps } from "../domain/workspace/Caps.ts"
import { defaultHeaderLimit } from "../egress/HeaderLimit.ts"
import { aiDefaults, type AiProviderName, type AiSettings } from "../external/ai/AiSettings.ts"
import { publicSources } from "../external/import/SourceAddresses.ts"
import { readCatalogue, upstreamOptions } from "../external/upstream/UpstreamSettings.ts"
import { publicAddresses } from "../notify/alert/ChannelAddresses.ts"
import { defaultProbeLimits } from "../probe/ProbeLimits.ts"
import { defaultRetention } from "../store/check/Retention.ts"
import { BadSetting } from "./BadSetting.ts"
import { stripe } from "./BillingSettings.ts"
import { clusterCertificates, kafkaSettings, outdatedCertificate, runnerHost } from "./ClusterSettings.ts"
import { phone } from "./PhoneSettings.ts"
import { type Environment, settingNames, withFiles } from "./SettingFiles.ts"
import { lacksOf } from "./SettingNeeds.ts"
import {
  allOrNone,
  baseAddress,
  hostNames,
  oneOf,
  onOrOff,
  orDefault,
  programCall,
  requires,
  secret,
  serviceUrl,
  strongSecret,
  url,
  variable,
  whole
} from "./SettingTypes.ts"
import { telemetry } from "./TelemetrySettings.ts"

export type { Role } from "../domain/program/RoleOptions.ts"

const region = variable("BELLTOWER_REGION", (text) =>
  /^[a-z0-9][a-z0-9-]{0,39}$/.test(text)
    ? Either.right(RegionId.make(text))
    : Either.left(`must be 1 to 40 lowercase letters, digits and hyphens, not "${text}"`))

/** A list whose parser names the invalid item. */
const list = <A>(name: string, parse: (text: string) => Either.Either<A, string>, byDefault: A) =>
  variable(name, (text) => Either.mapLeft(parse(text), (why) => `is not valid: ${why}`)).pipe(Config.withDefault(byDefault))

/** Redacted, since it usually contains a user name and a password. */
const smtpUrl = Config.option(secret("SMTP_URL", url("SMTP_URL", ["smtp:", "smtps:"])))

const mailFrom = variable(
  "BELLTOWER_MAIL_FROM",
  (text) =>
    /^[^\s<>@]+@[^\s<>@]+$|^[^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>$/.test(text.trim())
      ? Either.right(text.trim())
      : Either.left(`must be an address such as "Belltower <belltower@example.com>", not "${text}"`)
)

const pingSmtp = variable("BELLTOWER_PING_SMTP", (text) => {
  const [, host = "0.0.0.0", port = ""] = /^(?:([^\s/@]+):)?(\d{1,5})$/.exec(text.trim()) ?? []
  return port !== "" && Number(port) <= 65_535
    ? Either.right({ host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) })
    : Either.left(`must be a port or an address with one, such as 0.0.0.0:25, not "${text}"`)
})

const domainTarget = variable(
  "BELLTOWER_DOMAIN_TARGET",
  (text) =>
    /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{1,63}$/.test(text.toLowerCase())
      ? Either.right(text.toLowerCase())
      : Either.left(`must be a host name such as pages.example.com, or *. in front of one, not "${text}"`)
)

const oauthClient = (name: string) => {
  const [id, key] = [`BELLTOWER_${name}_CLIENT_ID`, `BELLTOWER_${name}_CLIENT_SECRET`]
  const client = Config.all({ clientId: Config.option(Config.string(id)), clientSecret: Config.option(secret(key)) })
  return allOrNone([id, key], "set both the client id and the client secret", client)
}

/** The provider of AI texts; none unless it is named. */
const ai: Config.Config<Option.Option<AiSettings>> = Config.all({
  provider: Config.option(oneOf<AiProviderName>("BELLTOWER_AI_PROVIDER", ["anthropic", "openai"])),
  key: Config.option(secret("BELLTOWER_AI_KEY")),
  model: Config.option(Config.nonEmptyString("BELLTOWER_AI_MODEL")),
  url: Config.option(Config.map(url("BELLTOWER_AI_URL", ["http:", "https:"]), (given) => withoutTrailing(given, "/")))
}).pipe(Config.mapOrFail(({ key, model, provider, url: at }) => {
  if (Option.isNone(provider)) {
    return Option.isSome(key) || Option.isSome(model) || Option.isSome(at)
      ? requires("BELLTOWER_AI_PROVIDER", "say whose protocol the server speaks: anthropic or openai")
      : Either.right(Option.none())
  }
  if (Option.isNone(key) && Option.isNone(at)) {
    return requires("BELLTOWER_AI_KEY", "only a server of your own, at BELLTOWER_AI_URL, may do without")
  }
  const byDefault = aiDefaults[provider.value]
  return Either.right(Option.some({
    provider: provider.value,
    key,
    model: Option.getOrElse(model, () => byDefault.model),
    url: Option.getOrElse(at, () => byDefault.url)
  }))
}))

const logLevel = orDefault(
  "BELLTOWER_LOG_LEVEL",
  oneOf<"debug" | "info" | "warning" | "error">("BELLTOWER_LOG_LEVEL", ["debug", "info", "warning", "error"]),
  "info"
).pipe(
  Config.map((level) => ({ debug: LogLevel.Debug, info: LogLevel.Info, warning: LogLevel.Warning, error: LogLevel.Error })[level])
)

const logFormat = orDefault(
  "BELLTOWER_LOG_FORMAT",
  oneOf<"pretty" | "json">("BELLTOWER_LOG_FORMAT", ["pretty", "json"]),
  "pretty"
)

const weakSecretInUse = "; if it is in use, give it as BELLTOWER_SECRET_PREVIOUS and run \"belltower rotate-secret\""

/** All settings; docs/operations.md lists them with their defaults. */
export const settings = Config.all({
  host: orDefault("BELLTOWER_HOST", Config.string("BELLTOWER_HOST"), "0.0.0.0"),
  port: whole("PORT", 0, 65_535, 8080),
  baseUrl: Config.option(baseAddress("BELLTOWER_URL", true)),
  dataDir: orDefault("BELLTOWER_DATA_DIR", Config.string("BELLTOWER_DATA_DIR"), "./data"),
  databaseUrl: Config.option(secret("DATABASE_URL", url("DATABASE_URL", ["postgres:", "postgresql:"]))),
  databaseReadUrl: Config.option(secret("DATABASE_READ_URL", url("DATABASE_READ_URL", ["postgres:", "postgresql:"]))),
  databasePool: whole("DATABASE_POOL", 3, 200, 10),
  migrates: onOrOff("BELLTOWER_MIGRATE", "on"),
  kafka: kafkaSettings,
  secret: Config.option(strongSecret("BELLTOWER_SECRET", weakSecretInUse)),
  // A weak one is accepted: that may be why it is replaced.
  secretPrevious: Config.option(secret("BELLTOWER_SECRET_PREVIOUS")),
  secretCommand: Config.option(programCall("BELLTOWER_SECRET_COMMAND")),
  backupKey: Config.option(strongSecret("BELLTOWER_BACKUP_KEY")),
  allowedHosts: hostNames("BELLTOWER_ALLOWED_HOSTS", true),
  domainTarget: Config.option(domainTarget),
  reservedDomains: hostNames("BELLTOWER_RESERVED_DOMAINS", false),
  allowTargets: list("BELLTOWER_ALLOW_TARGETS", parseAllowedTargets, noTargets),
  registration: Config.option(oneOf("BELLTOWER_REGISTRATION", registrations)),
  bootstrapsAnHour: whole("BELLTOWER_BOOTSTRAPS_AN_HOUR", 1, 1_000_000, defaultBootstrapsAnHour),
  metricsToken: Config.option(strongSecret("BELLTOWER_METRICS_TOKEN")),
  metricsPort: whole("BELLTOWER_METRICS_PORT", 0, 65_535).pipe(Config.option),
  pingSmtp: Config.option(pingSmtp),
  // Redacted: such addresses contain the key by which the service knows whose ping it is.
  deadmanUrl: Config.option(secret("BELLTOWER_DEADMAN_URL", url("BELLTOWER_DEADMAN_URL", ["http:", "https:"]))),
  drainSec: whole("BELLTOWER_DRAIN_SEC", 0, 300).pipe(Config.option),
  checksPerWorkspace: whole("BELLTOWER_CHECKS_PER_WORKSPACE", 1, 10_000, defaultChecksPerWorkspace),
  streamCaps: Config.all({
    key: whole("BELLTOWER_STREAMS_PER_KEY", 1, 100_000, defaultStreamCaps.key),
    workspace: whole("BELLTOWER_STREAMS_PER_WORKSPACE", 1, 100_000, defaultStreamCaps.workspace),
    address: whole("BELLTOWER_STREAMS_PER_ADDRESS", 1, 100_000, defaultStreamCaps.address)
  }),
  caps: list("BELLTOWER_CAPS", (text) => parseCaps(commaList(text)), defaultCaps),
  region: orDefault("BELLTOWER_REGION", region, RegionId.make("main")),
  // A probe has the region of its token; one that is given must be the same.
  probeRegion: Config.option(region),
  probeToken: Config.option(secret("BELLTOWER_PROBE_TOKEN")),
  stripe,
  ai,
  smtpUrl,
  google: oauthClient("GOOGLE"),
  googleIssuer: orDefault(
    "BELLTOWER_GOOGLE_ISSUER",
    url("BELLTOWER_GOOGLE_ISSUER", ["http:", "https:"]),
    "https://accounts.google.com"
  ),
  github: oauthClient("GITHUB"),
  githubUrl: orDefault("BELLTOWER_GITHUB_URL", url("BELLTOWER_GITHUB_URL", ["http:", "https:"]), "https://github.com"),
  mailFrom: Config.option(mailFrom),
  importAddresses: Config.all({
    uptimerobot: serviceUrl("BELLTOWER_UPTIMEROBOT_URL", publicSources.uptimerobot),
    uptimerobotV2: serviceUrl("BELLTOWER_UPTIMEROBOT_V2_URL", publicSources.uptimerobotV2),
    betterstack: serviceUrl("BELLTOWER_BETTERSTACK_URL", publicSources.betterstack),
    statuspage: serviceUrl("BELLTOWER_STATUSPAGE_URL", publicSources.statuspage),
    healthchecks: serviceUrl("BELLTOWER_HEALTHCHECKS_URL", publicSources.healthchecks)
  }),
  upstreams: Config.all({
    own: variable("BELLTOWER_UPSTREAM_CATALOGUE", readCatalogue).pipe(Config.withDefault([])),
    intervalSec: whole("BELLTOWER_UPSTREAM_INTERVAL_SEC", 5, 86_400, 120)
  }).pipe(Config.map(({ intervalSec, own }) => upstreamOptions(own, intervalSec))),
  trustProxy: list("BELLTOWER_TRUST_PROXY", parseTrustedProxies, noProxies),
  retention: Config.all({
    checksDays: whole("BELLTOWER_KEEP_CHECKS_DAYS", 1, 366, defaultRetention.checksDays),
    historyDays: whole("BELLTOWER_KEEP_HISTORY_DAYS", 91, 3660, defaultRetention.historyDays)
  }),
  evidenceQuotaMb: whole("BELLTOWER_EVIDENCE_MB_A_DAY", 0, 1_000_000, defaultEvidenceQuota / 2 ** 20),
  canaries: list<ReadonlyArray<Canary>>("BELLTOWER_CANARIES", (text) => Either.all(commaList(text).map(parseCanary)), []),
  checksUplink: onOrOff("BELLTOWER_UPLINK_CHECK", "on"),
  rdapUrl: serviceUrl("BELLTOWER_RDAP_URL", "https://data.iana.org/rdap"),
  chromium: Config.option(Config.nonEmptyString("BELLTOWER_CHROMIUM")),
  isolation: Config.option(oneOf("BELLTOWER_ISOLATION", ["required", "best"])),
  headerLimitKb: whole("BELLTOWER_HEADER_KB", 16, 4096, defaultHeaderLimit / 1024),
  probeLimits: Config.all({
    concurrency: whole("BELLTOWER_PROBE_CONCURRENCY", 4, 100_000, defaultProbeLimits.concurrency),
    workspacePercent: whole("BELLTOWER_PROBE_WORKSPACE_PERCENT", 1, 100, defaultProbeLimits.workspacePercent),
    hostRate: whole("BELLTOWER_PROBE_HOST_RATE", 0, 100_000, defaultProbeLimits.hostRate)
  }),
  deliveryLimits: Config.all({
    concurrency: whole("BELLTOWER_DELIVERY_CONCURRENCY", 4, 100_000, defaultDeliveryLimits.concurrency),
    workspacePercent: whole("BELLTOWER_DELIVERY_WORKSPACE_PERCENT", 1, 100, defaultDeliveryLimits.workspacePercent),
    hostRate: whole("BELLTOWER_DELIVERY_HOST_RATE", 0, 100_000, defaultDeliveryLimits.hostRate)
  }),
  channelAddresses: Config.all(
    Record.map(publicAddresses, (byDefault, name) => serviceUrl(`BELLTOWER_${name.toUpperCase()}_URL`, byDefault))
  ),
  phone,
  waitingLimits: Config.map(
    whole("BELLTOWER_WAITING_RESULTS", 10, resultRoom.stuck, defaultWaitingLimits.results),
    (results) => ({ ...defaultWaitingLimits, results })
  ),
  runnerHost,
  runnerPort: whole("BELLTOWER_RUNNER_PORT", 1, 65_535, 34_431),
  clusterCertificates,
  cluster: Config.all({
    shardLockSec: whole("BELLTOWER_SHARD_LOCK_SEC", 3, 300, defaultClusterPace.shardLockSec),
    runnersSec: whole("BELLTOWER_RUNNER_LIST_SEC", 1, 60, defaultClusterPace.runnersSec),
    pingSec: whole("BELLTOWER_RUNNER_PING_SEC", 1, 300, defaultClusterPace.pingSec)
  }),
  logLevel,
  logFormat,
  telemetry
})
export type Settings = Config.Config.Success<typeof settings>

/** A line for each problem, with the variable. Never contains the value of a secret. */
const linesOf = (error: ConfigError.ConfigError): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
      return [...linesOf(error.left), ...linesOf(error.right)]
    case "Or":
      return linesOf(error.left)
    case "InvalidData":
    case "MissingData":
    case "SourceUnavailable":
    case "Unsupported":
      return [`${error.path.join("_")} ${error.message}`]
  }
}

/** The settings of a process, and where they are from. */
export interface SettingsFound {
  /** The variables that are given, with the content of files in the place of their paths. */
  readonly given: Environment
  /** The file of each setting that has its value from one. */
  readonly files: Environment
  /** Everything that is wrong, a line each; no line has the value of a secret. */
  readonly problems: ReadonlyArray<string>
  /** None if a value is invalid. */
  readonly settings: Option.Option<Settings>
}

/** Reads the settings of a process, with those that its role needs. An empty variable counts as absent. */
export const findSettings = Effect.fn("Settings.find")(function*(
  role: Role | null,
  environment: Readonly<Record<string, string | undefined>>
) {
  const variables = new Map(
    Object.entries(environment).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
      value === undefined || value === "" ? [] : [[name, value]]
    )
  )
  const { files, given, problems } = withFiles(variables, yield* settingNames(settings))
  const read = yield* Effect.either(ConfigProvider.fromMap(new Map(given), { pathDelim: "\u0000" }).load(settings))
  const outdated = Either.isRight(read) ? yield* outdatedCertificate(read.right.clusterCertificates) : []
  const found: SettingsFound = {
    given,
    files,
    problems: [...problems, ...(Either.isLeft(read) ? linesOf(read.left) : []), ...lacksOf(role, given), ...outdated],
    settings: Either.getRight(read)
  }
  return found
})

const others = (count: number) => count === 0 ? "" : ` (${count} more: belltower config lists all)`

/** The same for a start. Fails with one line if anything is wrong. */
export const readSettings = (
  role: Role | null,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Settings, BadSetting> =>
  Effect.flatMap(
    findSettings(role, environment),
    ({ problems: [first, ...rest], settings: found }) =>
      first === undefined && Option.isSome(found)
        ? Effect.succeed(found.value)
        : Effect.fail(new BadSetting({ message: `${first ?? ""}${others(rest.length)}` }))
  )
