/** Reads given partitions of a topic from given offsets, without a consumer group, whose upkeep costs an idle process the most. */
import { Duration, Effect } from "effect"
import { KafkaJSOffsetOutOfRange, type KafkaMessage } from "kafkajs"
import { type BusUnavailable, busUnavailable } from "../Bus.ts"
import { noteRefusals } from "../Signed.ts"
import { callKafka, disconnect, type KafkaClient } from "./KafkaClient.ts"
import { type Cluster, type FetchedPartition, makeCluster } from "./KafkajsInternals.ts"
import { type FetchPace, keepReading, metadataMaxAgeMs } from "./KafkaSession.ts"

/** One reading of a partition, from the moment it was begun until it is lost. */
export interface Reading {
  readonly partition: number
  /** The offset behind the last fetched message; null while nothing was fetched and none is known. */
  next: string | null
  /** The end of the partition at the last fetch. */
  end?: string
}

/** The messages that a fetch found in one partition; never empty. */
export interface Fetched {
  readonly reading: Reading
  readonly messages: ReadonlyArray<KafkaMessage>
}

export interface Source {
  readonly topic: string
  /** The start of a partition whose offset is unknown, or no longer exists. */
  readonly from: "beginning" | "end"
  readonly pace: FetchPace
  /** The topic has at least so many partitions; a broker that knows fewer has old metadata. */
  readonly fewest: number
  /** Called with all partitions of the topic, when they may have changed. */
  readonly known: (partitions: ReadonlyArray<number>) => void
  /** The partitions to read; called before each fetch. */
  readonly readings: () => Iterable<Reading>
  /** Says whether the fetched messages of a reading are still wanted. */
  readonly isCurrent: (reading: Reading) => boolean
  /** Takes in a fetch whose readings have moved already; the next fetch from that broker waits for the returned effect. */
  readonly take: (fetched: ReadonlyArray<Fetched>) => Effect.Effect<void>
  /** Open while messages sent now will be read. */
  readonly reading?: Effect.Latch
}

/** A partition that has just come is read this soon while nothing else of its broker is. */
const retryAfter = Duration.millis(500)
const connectWithin = "20 seconds"
/** The most bytes of one answer, as sent: compressed results take five times as much in memory. */
const maxBytes = 4 * 1024 * 1024
const maxBytesPerPartition = 1024 * 1024
const readCommitted = 1

const acquireCluster = Effect.fn("KafkaReader.acquireCluster")(function*({ config, kafka }: KafkaClient, topic: string) {
  const cluster = makeCluster(kafka, config, metadataMaxAgeMs)
  const connected = cluster.connect().then(() => cluster.addTargetTopic(topic))
  yield* Effect.addFinalizer(() => disconnect(cluster, connected))
  yield* callKafka(() => connected).pipe(
    Effect.timeoutFail({ duration: connectWithin, onTimeout: () => busUnavailable("Kafka did not answer") })
  )
  return cluster
})

/** The brokers and the partitions that each leads, by the newest metadata. */
const leadersOf = (cluster: Cluster, topic: string) => ({
  nodes: new Set(cluster.getNodeIds()),
  of: new Map(cluster.findTopicPartitionMetadata(topic).map(({ leader, partitionId }) => [partitionId, String(leader)]))
})

/** The messages of a partition from the offset that was asked for: a compressed batch may begin before it. */
const wantedOf = ({ messages }: FetchedPartition, from: string): ReadonlyArray<KafkaMessage> => {
  const first = messages[0]
  const isWhole = first === undefined || first.offset === from || BigInt(first.offset) >= BigInt(from)
  const wanted = isWhole ? messages : messages.filter(({ offset }) => BigInt(offset) >= BigInt(from))
  return wanted.some(({ isControlRecord }) => isControlRecord) ? wanted.filter((one) => one.isControlRecord !== true) : wanted
}

interface Asked {
  readonly reading: Reading
  readonly from: string
}

/** Moves the readings past the messages that were fetched for them. */
const accept = (
  { isCurrent }: Source,
  asked: ReadonlyMap<number, Asked>,
  partitions: ReadonlyArray<FetchedPartition>
): ReadonlyArray<Fetched> =>
  partitions.flatMap((found) => {
    const one = asked.get(found.partition)
    const last = found.messages.at(-1)
    if (one !== undefined) one.reading.end = found.highWatermark
    // Another broker may lead the partition meanwhile, and its fetch may have come first.
    if (one === undefined || last === undefined || one.reading.next !== one.from || !isCurrent(one.reading)) return []
    const messages = wantedOf(found, one.from)
    const next = BigInt(last.offset) + 1n
    if (next > BigInt(one.from)) one.reading.next = String(next)
    return messages.length === 0 ? [] : [{ reading: one.reading, messages }]
  })

const locate = Effect.fn("KafkaReader.locate")(
  function*(cluster: Cluster, { from, topic }: Source, readings: ReadonlyArray<Reading>) {
    const partitions = readings.map(({ partition }) => ({ partition }))
    const found = yield* callKafka(() => cluster.fetchTopicsOffset([{ topic, partitions, fromBeginning: from === "beginning" }]))
    const offsets = new Map(found.flatMap((one) => one.partitions.map(({ offset, partition }) => [partition, offset] as const)))
    for (const reading of readings) reading.next ??= offsets.get(reading.partition) ?? null
  }
)

const makeStep = (cluster: Cluster, source: Source, leaders: () => ReturnType<typeof leadersOf>) => (nodeId: string) => {
  const { pace, readings, take, topic } = source

  const fetch = (asked: ReadonlyMap<number, Asked>) =>
    callKafka(async () => {
      const broker = await cluster.findBroker({ nodeId })
      const partitions = [...asked].map(([partition, { from }]) => ({
        partition,
        fetchOffset: from,
        maxBytes: maxBytesPerPartition
      }))
      const { responses } = await broker.fetch({
        maxWaitTime: pace.maxWaitTimeInMs,
        minBytes: pace.minBytes,
        maxBytes,
        isolationLevel: readCommitted,
        topics: [{ topic, partitions }]
      })
      return responses
    })

  /** The offset is gone, for example because the results are older than their topic keeps them. */
  const startAgain = (asked: ReadonlyMap<number, Asked>) => (error: BusUnavailable) => {
    const { cause } = error
    if (!(cause instanceof KafkaJSOffsetOutOfRange)) return Effect.fail(error)
    const one = asked.get(cause.partition)
    if (one !== undefined && one.reading.next === one.from) one.reading.next = null
    return Effect.as(
      Effect.logWarning(`${topic}/${cause.partition} has no offset ${one?.from}; reading from the ${source.from}`),
      []
    )
  }

  return Effect.suspend(() => {
    const leading = leaders().of
    const all = Array.from(readings())
    const mine = all.filter(({ partition }) => leading.get(partition) === nodeId)
    // With all partitions read already, only another leader can bring one.
    if (mine.length === 0) return Effect.sleep(all.length < leading.size ? retryAfter : Duration.millis(metadataMaxAgeMs))
    const unknown = mine.filter(({ next }) => next === null)
    if (unknown.length > 0) return locate(cluster, source, unknown)
    if (source.reading !== undefined && all.every(({ next }) => next !== null)) source.reading.unsafeOpen()
    const asked = new Map(mine.map((reading) => [reading.partition, { reading, from: reading.next ?? "0" }]))
    return Effect.flatMap(Effect.catchAll(fetch(asked), startAgain(asked)), (responses) => {
      const partitions = responses.flatMap((one) => one.partitions)
      const fetched = accept(source, asked, partitions)
      const skipped = partitions.filter(({ messages }) => messages[0]?.isSkippedBatch === true).map(() => "batch" as const)
      return Effect.zipRight(noteRefusals(topic, skipped), fetched.length === 0 ? Effect.void : take(fetched))
    })
  })
}

const readOnce = Effect.fn("KafkaReader.readOnce")(function*(client: KafkaClient, source: Source, worked: Effect.Effect<void>) {
  const { fewest, known, topic } = source
  yield* Effect.addFinalizer(() => Effect.sync(() => source.reading?.unsafeClose()))
  const cluster = yield* acquireCluster(client, topic)
  let leaders = leadersOf(cluster, topic)
  const { nodes } = leaders

  const checkBrokers = Effect.suspend(() => {
    leaders = leadersOf(cluster, topic)
    const partitions = [...leaders.of.keys()]
    if (partitions.length < fewest) return busUnavailable(`It knows only ${partitions.length} of at least ${fewest} partitions`)
    if ([...nodes, ...leaders.nodes].some((id) => !nodes.has(id) || !leaders.nodes.has(id))) {
      return busUnavailable("Its brokers changed")
    }
    known(partitions)
    return Effect.void
  })
  const refresh = Effect.zipRight(callKafka(() => cluster.refreshMetadata()), checkBrokers)
  const keepChecking = Effect.forever(Effect.delay(refresh, Duration.millis(metadataMaxAgeMs)))

  yield* checkBrokers
  yield* worked
  const step = makeStep(cluster, source, () => leaders)
  const fetchers = [...nodes].map((nodeId) => Effect.forever(step(nodeId)))
  // The first that fails ends all.
  yield* Effect.all([keepChecking, ...fetchers], { concurrency: "unbounded", discard: true })
  return yield* Effect.never
}, Effect.scoped)

export const readPartitions = (client: KafkaClient, source: Source): Effect.Effect<never> =>
  keepReading(client, `Reading ${source.topic}`, (worked) => readOnce(client, source, worked))
