/** The topics of the bus: their retention, their creation, and a ping of the brokers. */
import { Duration, Effect, Option } from "effect"
import type { Admin, ITopicConfig } from "kafkajs"
import { shardCount } from "../domain/tools/Shard.ts"
import { type BusUnavailable, busUnavailable } from "./Bus.ts"
import { callKafka, disconnect, type KafkaClient, maxMessageBytes } from "./KafkaClient.ts"

const millis = (duration: Duration.DurationInput): string => String(Duration.toMillis(duration))

/** Keeps the latest assignment per monitor, and tombstones for workers that are cut off for less than 30 days. */
const compacted = {
  "cleanup.policy": "compact",
  "delete.retention.ms": millis("30 days"),
  "segment.bytes": String(16 * 1024 * 1024),
  "segment.ms": millis("1 hour"),
  "min.cleanable.dirty.ratio": "0.1"
}
const keptFor = (retention: Duration.DurationInput, segment: Duration.DurationInput) => ({
  "cleanup.policy": "delete",
  "retention.ms": millis(retention),
  "segment.ms": millis(segment)
})

const wanted = ({ settings, topics }: KafkaClient, brokers: number): ReadonlyArray<ITopicConfig> => {
  const replicationFactor = Option.getOrElse(settings.replication ?? Option.none(), () => Math.min(3, brokers))
  const topic = (name: string, partitions: number, config: Record<string, string>): ITopicConfig => {
    const safety = { "max.message.bytes": String(maxMessageBytes), "min.insync.replicas": replicationFactor >= 3 ? "2" : "1" }
    const configEntries = Object.entries({ ...config, ...safety }).map(([key, value]) => ({ name: key, value }))
    return { topic: name, numPartitions: partitions, replicationFactor, configEntries }
  }
  return [
    topic(topics.assignments, settings.partitions, compacted),
    topic(topics.results, shardCount, keptFor("1 day", "1 hour")),
    topic(topics.beats, 1, keptFor("10 minutes", "5 minutes")),
    topic(topics.requests, settings.partitions, keptFor("10 minutes", "5 minutes")),
    topic(topics.replies, 1, keptFor("10 minutes", "5 minutes"))
  ]
}

const withAdmin = <A>(client: KafkaClient, use: (admin: Admin) => Promise<A>): Effect.Effect<A, BusUnavailable> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const admin = client.kafka.admin({ retry: { retries: 1 } })
      return { admin, connected: admin.connect() }
    }),
    ({ admin, connected }) => callKafka(() => connected.then(() => use(admin))),
    ({ admin, connected }) => Effect.forkDaemon(disconnect(admin, connected))
  )

const countOf = async (admin: Admin, topic: string): Promise<number> => {
  const { topics: [found] } = await admin.fetchTopicMetadata({ topics: [topic] })
  return found?.partitions.length ?? 0
}

/** Results go to the partition with the number of their shard, so their topic needs at least this many. */
const lacksPartitions = async (admin: Admin, topic: string) => await countOf(admin, topic) < shardCount

/** Existing topics keep their settings, except that a topic of results with too few partitions gets more. */
const createMissing = async (client: KafkaClient, admin: Admin, existing: ReadonlySet<string>) => {
  const { results } = client.topics
  if (Object.values(client.topics).some((topic) => !existing.has(topic))) {
    const { brokers } = await admin.describeCluster()
    const topics = wanted(client, brokers.length).filter(({ topic }) => !existing.has(topic))
    await admin.createTopics({ topics, waitForLeaders: true })
  }
  if (await lacksPartitions(admin, results)) {
    await admin.createPartitions({ topicPartitions: [{ topic: results, count: shardCount }] })
  }
}

/** The operator makes the topics; says what is missing. */
const requireAll = async (client: KafkaClient, admin: Admin, existing: ReadonlySet<string>) => {
  const missing = Object.values(client.topics).filter((topic) => !existing.has(topic))
  const advice = "Create it, or set KAFKA_CREATE_TOPICS=on"
  if (missing.length > 0) throw new Error(`The Kafka topic ${missing.join(", ")} is missing. ${advice}`)
  if (await lacksPartitions(admin, client.topics.results)) {
    throw new Error(`The Kafka topic ${client.topics.results} needs at least ${shardCount} partitions`)
  }
}

const answeredWithin = (duration: Duration.DurationInput) =>
  Effect.timeoutFail({ duration, onTimeout: () => busUnavailable("Kafka did not answer") })

/** Creates the missing topics, or only checks that they exist if the operator makes them. */
export const ensureTopics = Effect.fn("KafkaTopics.ensure")((client: KafkaClient) =>
  withAdmin(client, async (admin) => {
    const existing = new Set(await admin.listTopics())
    await (client.settings.createTopics === false ? requireAll : createMissing)(client, admin, existing)
  }).pipe(answeredWithin("20 seconds"))
)

/** The number of partitions of a topic: that of the settings only counts when it is created. */
export const partitionsOf = Effect.fn("KafkaTopics.partitionsOf")((client: KafkaClient, topic: string) =>
  withAdmin(client, async (admin) => Math.max(1, await countOf(admin, topic))).pipe(answeredWithin("3 seconds"))
)

/** Fails when no broker answers within 3 s. */
export const pingBrokers = Effect.fn("KafkaTopics.ping")((client: KafkaClient) =>
  withAdmin(client, (admin) => admin.describeCluster()).pipe(answeredWithin("3 seconds"), Effect.asVoid)
)
