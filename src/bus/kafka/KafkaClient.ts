/** The connection settings of every Kafka client in the process, and the routing of kafkajs' own log lines. */
import { type Duration, Effect, Option, Redacted, Runtime } from "effect"
import { Kafka, type KafkaConfig, type LogEntry, logLevel, type SASLOptions } from "kafkajs"
import { type BusUnavailable, busUnavailable } from "../Bus.ts"
import "./KafkaAnswers.ts"
import "./KafkajsInternals.ts"
import { sharedTopics } from "./TopicPlans.ts"

/** TLS to the brokers, in PEM. Without a CA, those of Node are trusted; `cert` and `key` identify this client. */
export interface KafkaTls {
  readonly ca: Option.Option<string>
  readonly cert: Option.Option<string>
  readonly key: Option.Option<Redacted.Redacted>
}

export interface KafkaSasl {
  readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512"
  readonly username: string
  readonly password: Redacted.Redacted
}

export interface KafkaSettings {
  /** `host:port` of some of the brokers. */
  readonly brokers: ReadonlyArray<string>
  /** Prefix of every topic and consumer group, for example `belltower.`. */
  readonly topicPrefix: string
  /** Partitions of the new topics of a region: at least the number of workers that share them. */
  readonly partitions: number
  /** How long a new topic keeps results, in hours; default: 24. */
  readonly resultsHours?: number
  /** Copies of each message in new topics; default: 3, or the number of brokers if that is lower. */
  readonly replication?: Option.Option<number>
  /** False in probes, and when the operator makes the topics; missing ones are reported then. Default: true. */
  readonly createTopics?: boolean
  /** How often a server looks whether the topics that all regions share are still there. Default: 30 s. */
  readonly lookEvery?: Duration.DurationInput
  /** Null for plain text. */
  readonly tls?: KafkaTls | null
  readonly sasl?: Option.Option<KafkaSasl>
}

/** The types of kafkajs relate each mechanism to its own credentials. */
const saslOf = ({ mechanism, password, username }: KafkaSasl): SASLOptions => {
  const user = { username, password: Redacted.value(password) }
  if (mechanism === "plain") return { mechanism, ...user }
  return mechanism === "scram-sha-256" ? { mechanism, ...user } : { mechanism, ...user }
}

const securityOf = ({ sasl = Option.none(), tls = null }: KafkaSettings): Pick<KafkaConfig, "ssl" | "sasl"> => ({
  ...(tls === null ? {} : {
    ssl: {
      ...(Option.isSome(tls.ca) ? { ca: tls.ca.value } : {}),
      ...(Option.isSome(tls.cert) ? { cert: tls.cert.value } : {}),
      ...(Option.isSome(tls.key) ? { key: Redacted.value(tls.key.value) } : {})
    }
  }),
  ...(Option.isSome(sasl) ? { sasl: saslOf(sasl.value) } : {})
})

/** Lines that are not logged: rebalances are normal, and lasting failures are logged by their consumer or producer. */
const loggedElsewhere = /rebalanc|re-joining|not aware of this member|^Crash|^Failed to send|^Response |seed broker/i
const repeatAfterMs = 10 * 60_000
const rememberedLines = 200

/** Logs each kafkajs line at most every ten minutes; lines that differ only in numbers count as one. */
const makeLogCreator = (runtime: Runtime.Runtime<never>) => () => {
  const loggedAt = new Map<string, number>()
  return ({ namespace, log }: LogEntry) => {
    if (loggedElsewhere.test(`${log.message} ${log["error"]}`)) return
    const key = `${namespace} ${log.message}`.replace(/\d+/g, "#")
    const now = Date.parse(log.timestamp)
    if (now - (loggedAt.get(key) ?? 0) < repeatAfterMs) return
    if (loggedAt.size >= rememberedLines) loggedAt.clear()
    loggedAt.set(key, now)
    const details = { broker: log["broker"], topic: log["topic"], group: log["groupId"], error: log["error"] }
    Runtime.runFork(runtime)(
      Effect.logWarning(`kafkajs: ${log.message}`).pipe(
        Effect.annotateLogs(Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)))
      )
    )
  }
}

/** `ready` completes when the topics that all regions share exist: nothing is read or sent before. */
export const makeKafkaClient = Effect.fn("KafkaClient.make")(function*(settings: KafkaSettings, ready: Effect.Effect<void>) {
  const config: KafkaConfig = {
    clientId: "belltower",
    brokers: [...settings.brokers],
    ...securityOf(settings),
    connectionTimeout: 2_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 },
    logLevel: logLevel.WARN,
    logCreator: makeLogCreator(yield* Effect.runtime<never>())
  }
  return {
    kafka: new Kafka(config),
    config,
    settings,
    ready,
    topics: sharedTopics(settings.topicPrefix)
  }
})
export type KafkaClient = Effect.Effect.Success<ReturnType<typeof makeKafkaClient>>

/** Calls kafkajs, which gives requests up that get no answer. */
export const callKafka = <A>(work: () => Promise<A>): Effect.Effect<A, BusUnavailable> =>
  Effect.tryPromise({ try: work, catch: busUnavailable })

/** Disconnects a kafkajs client once its start has settled; after 1.5 s without brokers it continues in the background. */
export const disconnect = (client: { disconnect: () => Promise<void> }, started: Promise<unknown>): Effect.Effect<void> =>
  Effect.promise(() => {
    const settled = started.then(() => undefined, () => undefined)
    return settled.then(() => client.disconnect()).then(() => undefined, () => undefined)
  }).pipe(Effect.interruptible, Effect.timeoutOption("1500 millis"), Effect.asVoid)
