/** Reads the answers of Kafka to fetches, in place of kafkajs, which takes any batch, of any size, or fails for the whole answer. */
import { Effect, Runtime } from "effect"
import response, { type DecodedFetch } from "kafkajs/src/protocol/requests/fetch/v11/response.js"
import { ByteReader } from "./ByteReader.ts"
import { type BatchFault, type Budget, makeBudget, readBatches, type SkippedBatch } from "./RecordBatches.ts"
import { countRefusal } from "./Signed.ts"

const reasons = {
  oversized: "it holds more than any sender of ours writes",
  compression: "it is compressed otherwise than by gzip; compression.type of the topic must be producer",
  malformed: "it is no batch of messages"
} satisfies Record<BatchFault, string>

const logEveryMs = 60_000
const loggedAt = new Map<string, number>()

/** The region is known where the topic is that of one: nothing in a batch that was not read says who sent it. */
const noteSkipped = (topic: string, partition: number, skipped: ReadonlyArray<SkippedBatch>): Effect.Effect<void> =>
  Effect.clockWith((clock) =>
    Effect.suspend(() => {
      const [one] = skipped
      const now = clock.unsafeCurrentTimeMillis()
      const place = `${topic}/${partition}`
      if (one === undefined || now - (loggedAt.get(place) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return Effect.void
      loggedAt.set(place, now)
      return Effect.logError(
        `Skipped a batch of ${topic}, partition ${partition}, offsets ${one.first} to ${one.last}: ${reasons[one.fault]}. ` +
          "Its sender and region are not known: the brokers' logs name the connections that write. The metrics count each"
      )
    })
  )

let tell = (_: Effect.Effect<void>): void => {}

/** Logs what is skipped from now on, for all clients of the process. */
export const logSkippedBatches = (runtime: Runtime.Runtime<never>): void => {
  tell = (line) => void Runtime.runFork(runtime)(line)
}

const many = (reader: ByteReader): number => Math.max(0, reader.int32())

const readPartition = async (reader: ByteReader, topic: string, budget: Budget) => {
  const partition = reader.int32()
  const errorCode = reader.int16()
  const highWatermark = reader.int64()
  const lastStableOffset = String(reader.int64())
  const lastStartOffset = String(reader.int64())
  const abortedTransactions: Array<{ producerId: string; firstOffset: string }> = []
  for (let left = many(reader); left > 0 && !reader.isBroken; left--) {
    abortedTransactions.push({ producerId: String(reader.int64()), firstOffset: String(reader.int64()) })
  }
  const preferredReadReplica = reader.int32()
  const { messages, skipped } = await readBatches(reader.take(many(reader)), highWatermark, budget)
  for (const { fault } of skipped) countRefusal(topic, fault)
  if (skipped.length > 0) tell(noteSkipped(topic, partition, skipped))
  return {
    partition,
    errorCode,
    highWatermark: String(highWatermark),
    lastStableOffset,
    lastStartOffset,
    abortedTransactions,
    preferredReadReplica,
    messages
  }
}

/** Version 11, which every broker since 2.3 answers. Each partition has its turn: kafkajs shuffles those that it asks for. */
const decodeFetch = async (bytes: Buffer, budget = makeBudget()): Promise<DecodedFetch> => {
  const reader = new ByteReader(bytes)
  // The wait that the broker asks for is kept by kafkajs, before its next request.
  const clientSideThrottleTime = reader.int32()
  const errorCode = reader.int16()
  const sessionId = reader.int32()
  const responses: Array<DecodedFetch["responses"][number]> = []
  for (let topics = many(reader); topics > 0 && !reader.isBroken; topics--) {
    const topicName = reader.take(Math.max(0, reader.int16())).toString("utf8")
    const partitions: Array<Awaited<ReturnType<typeof readPartition>>> = []
    for (let left = many(reader); left > 0 && !reader.isBroken; left--) {
      partitions.push(await readPartition(reader, topicName, budget))
    }
    responses.push({ topicName, partitions })
  }
  if (reader.isBroken) throw new Error("Kafka's answer to a fetch is cut short")
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses }
}

response.decode = (bytes) => decodeFetch(bytes)
