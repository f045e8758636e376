/** Creates the topics of the bus, counts their partitions, and pings the brokers. */
import { type Duration, Effect, Option, Schedule } from "effect"
import { type Admin, type ITopicConfig, KafkaJSAggregateError, KafkaJSProtocolError } from "kafkajs"
import type { RegionId } from "../../../schema/check/Region.ts"
import { shardCount } from "../../domain/tools/Shard.ts"
import { type BusUnavailable, busUnavailable } from "../Bus.ts"
import { maxMessageBytes } from "./KafkaBounds.ts"
import { callKafka, disconnect, type KafkaClient } from "./KafkaClient.ts"
import { regionTopics, sharedPlans, type TopicPlan } from "./TopicPlans.ts"

/** The plan in the form in which kafkajs creates topics. */
const configOf = ({ settings }: KafkaClient, brokers: number) => {
  const replicationFactor = Option.getOrElse(settings.replication ?? Option.none(), () => Math.min(3, brokers))
  const safety = { "max.message.bytes": String(maxMessageBytes), "min.insync.replicas": replicationFactor >= 3 ? "2" : "1" }
  return ({ config, partitions, topic }: TopicPlan): ITopicConfig => ({
    topic,
    numPartitions: partitions,
    replicationFactor,
    configEntries: Object.entries({ ...config, ...safety }).map(([name, value]) => ({ name, value }))
  })
}

export const withAdmin = <A>(client: KafkaClient, use: (admin: Admin) => Promise<A>): Effect.Effect<A, BusUnavailable> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const admin = client.kafka.admin({ retry: { retries: 1 } })
      return { admin, connected: admin.connect() }
    }),
    ({ admin, connected }) => callKafka(() => connected.then(() => use(admin))),
    ({ admin, connected }) => Effect.forkDaemon(disconnect(admin, connected))
  )

class MissingTopic extends Error {
  constructor(topics: ReadonlyArray<string>) {
    super(
      `The Kafka topic ${topics.join(", ")} is missing. A server with KAFKA_CREATE_TOPICS=on creates it, or belltower kafka-setup`
    )
  }
}

/** Whether only the operator can help: this process may not create the topics. */
export const needsOperator = (cause: unknown): boolean =>
  cause instanceof MissingTopic || cause instanceof HiddenTopic ||
  (cause instanceof KafkaJSProtocolError && cause.type.endsWith("AUTHORIZATION_FAILED")) ||
  (cause instanceof KafkaJSAggregateError && cause.errors.some(needsOperator))

class HiddenTopic extends Error {
  constructor(topics: ReadonlyArray<string>) {
    super(`This user may not see the Kafka topic ${topics.join(" or ")}. belltower kafka-setup gives it access`)
  }
}

const isHiddenTopic = (error: unknown): boolean =>
  error instanceof KafkaJSProtocolError && error.type === "TOPIC_AUTHORIZATION_FAILED"

const isUnknownTopic = (error: unknown): boolean =>
  error instanceof KafkaJSProtocolError && error.type === "UNKNOWN_TOPIC_OR_PARTITION"

/**
 * The numbers of partitions of those of these topics that exist; with `skipsHidden`, of those that this user may see. Never asks for
 * all topics: that fails when one of somebody else has no leader.
 */
const countsOf = async (
  admin: Admin,
  topics: ReadonlyArray<string>,
  skipsHidden = false
): Promise<ReadonlyMap<string, number>> =>
  topics.length === 0 ? new Map() : admin.fetchTopicMetadata({ topics: [...topics] }).then(
    (found) => new Map(found.topics.map(({ name, partitions }) => [name, partitions.length])),
    async (error: unknown) => {
      const isHidden = isHiddenTopic(error)
      if (!isHidden && !isUnknownTopic(error)) throw error
      if (isHidden && !skipsHidden && topics.length === 1) throw new HiddenTopic(topics)
      const each = topics.length === 1 ? [] : await Promise.all(topics.map((topic) => countsOf(admin, [topic], skipsHidden)))
      return new Map(each.flatMap((found) => [...found]))
    }
  )

/** Existing topics keep their settings. Returns the names of those that were created. */
const createMissing = async (client: KafkaClient, admin: Admin, plans: ReadonlyArray<TopicPlan>) => {
  const existing = await countsOf(admin, plans.map(({ topic }) => topic))
  const lacking = plans.filter(({ topic }) => !existing.has(topic))
  if (lacking.length === 0) return []
  const names = lacking.map(({ topic }) => topic)
  if (client.settings.createTopics === false) throw new MissingTopic(names)
  const { brokers } = await admin.describeCluster()
  // kafkajs would fail when the broker that it asks for the leaders does not know the topics yet.
  await admin.createTopics({ topics: lacking.map(configOf(client, brokers.length)), waitForLeaders: false })
  return names
}

/** A topic of results with too few partitions gets more; only the operator may do so if topics are not created here. */
const growResults = async ({ settings, topics: { results } }: KafkaClient, admin: Admin) => {
  const count = (await countsOf(admin, [results])).get(results)
  if (count === undefined || count >= shardCount) return
  if (settings.createTopics === false) throw new Error(`The Kafka topic ${results} needs at least ${shardCount} partitions`)
  await admin.createPartitions({ topicPartitions: [{ topic: results, count: shardCount }] })
}

const answeredWithin = (duration: Duration.DurationInput) =>
  Effect.timeoutFail({ duration, onTimeout: () => busUnavailable("Kafka did not answer") })

/** New topics become visible broker by broker. */
const visibleWithin = Schedule.intersect(Schedule.spaced("250 millis"), Schedule.recurs(20))

const waitFor = (client: KafkaClient, topics: ReadonlyArray<string>) =>
  topics.length === 0 ? Effect.void : withAdmin(client, (admin) => countsOf(admin, topics)).pipe(
    Effect.filterOrFail((found) => found.size === topics.length, () => busUnavailable("The new topics are not visible yet")),
    Effect.retry(visibleWithin)
  )

/** Creates the missing topics, or only checks that they exist if the operator makes them. Returns the created ones. */
export const ensureTopics = Effect.fn("KafkaTopics.ensure")((client: KafkaClient, plans: ReadonlyArray<TopicPlan>) =>
  withAdmin(client, (admin) => createMissing(client, admin, plans)).pipe(
    Effect.tap((created) => waitFor(client, created)),
    answeredWithin("20 seconds")
  )
)

/** The same for the topics that all regions share, of which that of results has a partition for each shard. */
export const ensureSharedTopics = Effect.fn("KafkaTopics.ensureShared")((client: KafkaClient) =>
  ensureTopics(client, sharedPlans(client.settings)).pipe(
    Effect.tap(() => withAdmin(client, (admin) => growResults(client, admin))),
    answeredWithin("20 seconds")
  )
)

/** The number of partitions of a topic: that of the settings only counts when it is created. Fails if there is no such topic. */
export const partitionsOf = Effect.fn("KafkaTopics.partitionsOf")((client: KafkaClient, topic: string) =>
  withAdmin(client, async (admin) => {
    const count = (await countsOf(admin, [topic])).get(topic)
    if (count === undefined) throw new MissingTopic([topic])
    return Math.max(1, count)
  }).pipe(answeredWithin("3 seconds"))
)

/** The regions whose topics this user may see, with the numbers of partitions of their assignments. */
export const openRegions = Effect.fn("KafkaTopics.openRegions")((client: KafkaClient, regions: ReadonlyArray<RegionId>) => {
  const named = regions.map((region) => ({ region, ...regionTopics(client.settings.topicPrefix, region) }))
  return withAdmin(client, async (admin): Promise<ReadonlyMap<RegionId, number>> => {
    const counts = await countsOf(admin, named.flatMap(({ assignments, requests }) => [assignments, requests]), true)
    return new Map(named.flatMap(({ assignments, region, requests }) => {
      const count = counts.get(assignments)
      return count !== undefined && counts.has(requests) ? [[region, count] as const] : []
    }))
  }).pipe(answeredWithin("10 seconds"))
})

/** Fails when no broker answers within 3 s. */
export const pingBrokers = Effect.fn("KafkaTopics.ping")((client: KafkaClient) =>
  withAdmin(client, (admin) => admin.describeCluster()).pipe(answeredWithin("3 seconds"), Effect.asVoid)
)
