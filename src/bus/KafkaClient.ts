/** The connection settings of every Kafka client in the process, and where kafkajs' own log lines go. */
import { Effect, Runtime } from "effect"
import { Kafka, type LogEntry, logLevel } from "kafkajs"

export interface KafkaSettings {
  /** `host:port` of some of the brokers. */
  readonly brokers: ReadonlyArray<string>
  /** Begins the name of every topic and consumer group, for example `belltower.`. */
  readonly topicPrefix: string
  /** Partitions of the topics that are made here: at least the number of workers that are to share them. */
  readonly partitions: number
  /** Copies of each message; default: 3, or the number of brokers where there are fewer. */
  readonly replicationFactor?: number
}

/** A 100 kB request body, its headers, or a piece of evidence with 16 KiB of body: all fit, sealed and escaped. */
export const maxMessageBytes = 4 * 1024 * 1024

/** What one client keeps and everything it makes: settings, connection, topic names. */
export interface KafkaClient {
  readonly kafka: Kafka
  readonly settings: KafkaSettings
  readonly topics: Readonly<Record<"assignments" | "results" | "beats" | "requests" | "replies", string>>
}

/** A rebalance is everyday life, and what lastingly keeps a consumer or a producer from its work is told by that one. */
const toldElsewhere = /rebalanc|re-joining|not aware of this member|^Crash|^Failed to send|^Response |seed broker/i
const repeatAfterMs = 10 * 60_000
const rememberedLines = 200

/** Tells each line of kafkajs again at most every ten minutes, whatever numbers are in it. */
const makeLogCreator = (runtime: Runtime.Runtime<never>) => () => {
  const toldAt = new Map<string, number>()
  return ({ namespace, log }: LogEntry) => {
    if (toldElsewhere.test(`${log.message} ${log["error"]}`)) return
    const key = `${namespace} ${log.message}`.replace(/\d+/g, "#")
    const now = Date.parse(log.timestamp)
    if (now - (toldAt.get(key) ?? 0) < repeatAfterMs) return
    if (toldAt.size >= rememberedLines) toldAt.clear()
    toldAt.set(key, now)
    const details = { broker: log["broker"], topic: log["topic"], group: log["groupId"], error: log["error"] }
    Runtime.runFork(runtime)(
      Effect.logWarning(`kafkajs: ${log.message}`).pipe(
        Effect.annotateLogs(Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)))
      )
    )
  }
}

export const makeKafkaClient = Effect.fn("KafkaClient.make")(function*(settings: KafkaSettings) {
  const prefix = settings.topicPrefix
  const client: KafkaClient = {
    kafka: new Kafka({
      clientId: "belltower",
      brokers: [...settings.brokers],
      connectionTimeout: 2_000,
      requestTimeout: 10_000,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 },
      logLevel: logLevel.WARN,
      logCreator: makeLogCreator(yield* Effect.runtime<never>())
    }),
    settings,
    topics: {
      assignments: `${prefix}monitor-assignments`,
      results: `${prefix}check-results`,
      beats: `${prefix}probe-beats`,
      requests: `${prefix}check-requests`,
      replies: `${prefix}check-replies`
    }
  }
  return client
})

/**
 * Ends a kafkajs client, waiting at most 1.5 s; where its brokers are gone it goes on ending by itself. For finalizers.
 * `started` is what the client was still doing: ending it earlier would leave it half started.
 */
export const disconnect = (client: { disconnect: () => Promise<void> }, started: Promise<unknown>): Effect.Effect<void> =>
  Effect.promise(() => {
    const settled = started.then(() => undefined, () => undefined)
    return settled.then(() => client.disconnect()).then(() => undefined, () => undefined)
  }).pipe(Effect.interruptible, Effect.timeoutOption("1500 millis"), Effect.asVoid)
