/** The settings of a process: environment variables, read once and validated before anything starts. */
import { Config, ConfigError, ConfigProvider, Data, Effect, Either, LogLevel, Option, Redacted } from "effect"
import { RegionId } from "../schema/check/Region.ts"
import { noProxies, parseTrustedProxies, type TrustedProxies } from "./domain/access/TrustedProxies.ts"
import { defaultDeliveryLimits } from "./domain/alert/DeliveryLimits.ts"
import { type Canary, parseCanary } from "./domain/check/Canary.ts"
import { type AllowList, parseAllowList } from "./domain/check/Egress.ts"
import { defaultEvidenceQuota } from "./domain/check/EvidenceQuota.ts"
import { defaultChecksPerWorkspace } from "./domain/check/RunningChecks.ts"
import { defaultStreamCaps } from "./domain/event/StreamCaps.ts"
import { type Caps, defaultCaps, parseCaps } from "./domain/workspace/Caps.ts"
import type { StripeSettings } from "./external/billing/StripeProvider.ts"
import { defaultProbeLimits } from "./probe/ProbeLimits.ts"

/** A setting is missing or invalid. `message` names it and gives the reason, in one line. */
export class BadSetting extends Data.TaggedError("BadSetting")<{ readonly message: string }> {}

/** What a process does: everything, or one part of a larger deployment. */
export type Role = "all" | "api" | "runner" | "probe"

/** A variable read by `parse`, whose left value is the problem. Apply defaults after this, or Config errors lose the name. */
const variable = <A>(name: string, parse: (text: string) => Either.Either<A, string>) =>
  Config.mapOrFail(Config.string(name), (text) => Either.mapLeft(parse(text), (why) => ConfigError.InvalidData([], why)))

/** An integer between two bounds. */
const whole = (name: string, min: number, max: number) =>
  variable(name, (text) => {
    const value = Number(text)
    return /^-?\d+$/.test(text.trim()) && value >= min && value <= max
      ? Either.right(value)
      : Either.left(`must be a whole number from ${min} to ${max}, not "${text}"`)
  })

const oneOf = <A extends string>(name: string, words: ReadonlyArray<A>) =>
  variable(
    name,
    (text) => Either.fromNullable(words.find((word) => word === text), () => `must be one of ${words.join(", ")}, not "${text}"`)
  )

const split = (text: string) => text.split(",").map((item) => item.trim()).filter((item) => item !== "")

/** Comma-separated items; surrounding whitespace is ignored. */
const items = (name: string) =>
  variable(name, (text) => Either.right(split(text))).pipe(Config.withDefault<ReadonlyArray<string>>([]))

const url = (name: string, protocols: ReadonlyArray<string>) =>
  variable(name, (text) =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol)
      ? Either.right(text)
      : Either.left(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`))

const region = variable("BELLTOWER_REGION", (text) =>
  /^[a-z0-9][a-z0-9-]{0,39}$/.test(text)
    ? Either.right(RegionId.make(text))
    : Either.left(`must be 1 to 40 lowercase letters, digits and hyphens, not "${text}"`))

/** The parsers of lists name the invalid item. */
const invalid = (why: string) => `is not valid: ${why}`

const allowTargets = variable("BELLTOWER_ALLOW_TARGETS", (text) => Either.mapLeft(parseAllowList(text), invalid))

const caps = variable("BELLTOWER_CAPS", (text) => Either.mapLeft(parseCaps(split(text)), invalid))

const trustProxy = variable("BELLTOWER_TRUST_PROXY", (text) => Either.mapLeft(parseTrustedProxies(text), invalid))

const canaries = variable("BELLTOWER_CANARIES", (text) => Either.mapLeft(Either.all(split(text).map(parseCanary)), invalid))

const longSecret = (name: string) =>
  variable(
    name,
    (text) => text.length >= 16 ? Either.right(Redacted.make(text)) : Either.left("must have at least 16 characters")
  )

const secret = longSecret("BELLTOWER_SECRET")

/** The Stripe prices of one plan. New subscriptions get the first; the others are still recognized. */
const prices = (name: string) =>
  variable(name, (text) => {
    const [first, ...others] = split(text)
    return first === undefined ? Either.left("must be a Stripe price ID, such as price_1Pab") : Either.right([first, ...others])
  })

const stripeNames = ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE_STARTER", "STRIPE_PRICE_BUSINESS"] as const

const stripeKeys = Config.all({
  secretKey: Config.redacted(stripeNames[0]),
  webhookSecret: Config.redacted(stripeNames[1]),
  prices: Config.all({ starter: prices(stripeNames[2]), business: prices(stripeNames[3]) }),
  apiUrl: url("STRIPE_API_URL", ["http:", "https:"]).pipe(Config.withDefault("https://api.stripe.com"))
})

/** All Stripe settings or none: with only some of them, a payment would not change the plan. */
const stripe: Config.Config<Option.Option<StripeSettings>> = Config.all(
  stripeNames.map((name) => Config.option(Config.string(name)))
).pipe(
  Config.mapOrFail((given) => {
    const missing = stripeNames.filter((_, index) => Option.isNone(given[index] ?? Option.none()))
    return missing.length === 0 || missing.length === stripeNames.length
      ? Either.right(missing.length === 0)
      : Either.left(ConfigError.InvalidData([missing[0] ?? ""], `is also required: billing needs ${stripeNames.join(", ")}`))
  }),
  (complete) => Config.all([complete, Config.option(stripeKeys)]),
  Config.map(([complete, keys]) => complete ? keys : Option.none())
)

/** Redacted, since it usually contains a user name and a password. */
const smtpUrl = url("SMTP_URL", ["smtp:", "smtps:"]).pipe(Config.map(Redacted.make), Config.option)

const mailFrom = variable(
  "BELLTOWER_MAIL_FROM",
  (text) =>
    /^[^\s<>@]+@[^\s<>@]+$|^[^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>$/.test(text.trim())
      ? Either.right(text.trim())
      : Either.left(`must be an address such as "Belltower <belltower@example.com>", not "${text}"`)
)

/** An OAuth client of Google or GitHub: client id and client secret, both or neither. */
const oauthClient = (name: string) => {
  const [id, key] = [`BELLTOWER_${name}_CLIENT_ID`, `BELLTOWER_${name}_CLIENT_SECRET`]
  return Config.all({ clientId: Config.option(Config.string(id)), clientSecret: Config.option(Config.redacted(key)) }).pipe(
    Config.mapOrFail(({ clientId, clientSecret }) =>
      Option.isSome(clientId) === Option.isSome(clientSecret)
        ? Either.right(Option.all({ clientId, clientSecret }))
        : Either.left(
          ConfigError.InvalidData(
            [Option.isSome(clientId) ? key : id],
            "is also required: set both the client id and the client secret"
          )
        )
    )
  )
}

const logLevel = oneOf("BELLTOWER_LOG_LEVEL", ["debug", "info", "warning", "error"]).pipe(
  Config.withDefault("info" as const),
  Config.map((level) => ({ debug: LogLevel.Debug, info: LogLevel.Info, warning: LogLevel.Warning, error: LogLevel.Error })[level])
)

/** All settings; README.md lists them with their defaults. */
export const settings = Config.all({
  host: Config.string("BELLTOWER_HOST").pipe(Config.withDefault("0.0.0.0")),
  port: whole("PORT", 0, 65_535).pipe(Config.withDefault(8080)),
  baseUrl: url("BELLTOWER_URL", ["http:", "https:"]).pipe(Config.option),
  dataDir: Config.string("BELLTOWER_DATA_DIR").pipe(Config.withDefault("./data")),
  databaseUrl: url("DATABASE_URL", ["postgres:", "postgresql:"]).pipe(Config.map(Redacted.make), Config.option),
  databasePool: whole("DATABASE_POOL", 3, 200).pipe(Config.withDefault(10)),
  kafkaBrokers: items("KAFKA_BROKERS"),
  kafkaTopicPrefix: Config.string("KAFKA_TOPIC_PREFIX").pipe(Config.withDefault("belltower.")),
  kafkaPartitions: whole("KAFKA_PARTITIONS", 1, 1000).pipe(Config.withDefault(16)),
  secret: Config.option(secret),
  allowedHosts: items("BELLTOWER_ALLOWED_HOSTS"),
  allowTargets: allowTargets.pipe(Config.withDefault<AllowList>([])),
  metricsToken: Config.option(longSecret("BELLTOWER_METRICS_TOKEN")),
  metricsPort: whole("BELLTOWER_METRICS_PORT", 0, 65_535).pipe(Config.option),
  checksPerWorkspace: whole("BELLTOWER_CHECKS_PER_WORKSPACE", 1, 10_000).pipe(Config.withDefault(defaultChecksPerWorkspace)),
  streamCaps: Config.all({
    key: whole("BELLTOWER_STREAMS_PER_KEY", 1, 100_000).pipe(Config.withDefault(defaultStreamCaps.key)),
    workspace: whole("BELLTOWER_STREAMS_PER_WORKSPACE", 1, 100_000).pipe(Config.withDefault(defaultStreamCaps.workspace)),
    address: whole("BELLTOWER_STREAMS_PER_ADDRESS", 1, 100_000).pipe(Config.withDefault(defaultStreamCaps.address))
  }),
  caps: caps.pipe(Config.withDefault<Caps>(defaultCaps)),
  region: region.pipe(Config.withDefault(RegionId.make("main"))),
  stripe,
  smtpUrl,
  google: oauthClient("GOOGLE"),
  googleIssuer: url("BELLTOWER_GOOGLE_ISSUER", ["http:", "https:"]).pipe(Config.withDefault("https://accounts.google.com")),
  github: oauthClient("GITHUB"),
  githubUrl: url("BELLTOWER_GITHUB_URL", ["http:", "https:"]).pipe(Config.withDefault("https://github.com")),
  mailFrom: Config.option(mailFrom),
  trustProxy: trustProxy.pipe(Config.withDefault<TrustedProxies>(noProxies)),
  evidenceQuotaMb: whole("BELLTOWER_EVIDENCE_MB_A_DAY", 0, 1_000_000).pipe(Config.withDefault(defaultEvidenceQuota / 2 ** 20)),
  canaries: canaries.pipe(Config.withDefault<ReadonlyArray<Canary>>([])),
  probeLimits: Config.all({
    concurrency: whole("BELLTOWER_PROBE_CONCURRENCY", 4, 100_000).pipe(Config.withDefault(defaultProbeLimits.concurrency)),
    workspacePercent: whole("BELLTOWER_PROBE_WORKSPACE_PERCENT", 1, 100).pipe(
      Config.withDefault(defaultProbeLimits.workspacePercent)
    ),
    hostRate: whole("BELLTOWER_PROBE_HOST_RATE", 0, 100_000).pipe(Config.withDefault(defaultProbeLimits.hostRate))
  }),
  deliveryLimits: Config.all({
    concurrency: whole("BELLTOWER_DELIVERY_CONCURRENCY", 4, 100_000).pipe(
      Config.withDefault(defaultDeliveryLimits.concurrency)
    ),
    workspacePercent: whole("BELLTOWER_DELIVERY_WORKSPACE_PERCENT", 1, 100).pipe(
      Config.withDefault(defaultDeliveryLimits.workspacePercent)
    ),
    hostRate: whole("BELLTOWER_DELIVERY_HOST_RATE", 0, 100_000).pipe(Config.withDefault(defaultDeliveryLimits.hostRate))
  }),
  runnerHost: Config.string("BELLTOWER_RUNNER_HOST").pipe(Config.withDefault("127.0.0.1")),
  runnerPort: whole("BELLTOWER_RUNNER_PORT", 1, 65_535).pipe(Config.withDefault(34_431)),
  logLevel,
  logFormat: oneOf("BELLTOWER_LOG_FORMAT", ["pretty", "json"]).pipe(Config.withDefault("pretty" as const))
})
export type Settings = Config.Config.Success<typeof settings>

/** One line with the variable and the problem. Never contains the value of a secret. */
const lineOf = (error: ConfigError.ConfigError): string => {
  switch (error._op) {
    case "And":
    case "Or":
      return lineOf(error.left)
    case "InvalidData":
    case "MissingData":
    case "SourceUnavailable":
    case "Unsupported":
      return `${error.path.join("_")} ${error.message}`
  }
}

const needs = (role: Role, found: Settings): string | null => {
  const missing = (name: string) =>
    `${name} is required for the role ${role}. Set it to the same value as on the other processes.`
  if (role === "all") return found.kafkaBrokers.length > 0 && Option.isNone(found.databaseUrl) ? missing("DATABASE_URL") : null
  if (found.kafkaBrokers.length === 0) return missing("KAFKA_BROKERS")
  if (Option.isNone(found.secret)) return missing("BELLTOWER_SECRET")
  return role !== "probe" && Option.isNone(found.databaseUrl) ? missing("DATABASE_URL") : null
}

/** The settings of this process. An empty variable counts as absent. */
export const readSettings = (
  role: Role,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Settings, BadSetting> => {
  const given = Object.entries(environment).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
    value === undefined || value === "" ? [] : [[name, value]]
  )
  const provider = ConfigProvider.fromMap(new Map(given), { pathDelim: "\u0000" })
  return provider.load(settings).pipe(
    Effect.mapError((error) => new BadSetting({ message: lineOf(error) })),
    Effect.filterOrElse(
      (found) => needs(role, found) === null,
      (found) => Effect.fail(new BadSetting({ message: needs(role, found) ?? "" }))
    )
  )
}
