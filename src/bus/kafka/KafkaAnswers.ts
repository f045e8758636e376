/**
 * Reads the answers of Kafka to fetches within bounds. kafkajs takes any batch, of any size, and fails for the whole answer, and at each
 * try again, over one that it cannot read. After such a failure each partition gets its first batch only, read by itself: one that cannot
 * be read is skipped, and a mark at its last offset leads readers on.
 */
import Decoder from "kafkajs/src/protocol/decoder.js"
import readBatch from "kafkajs/src/protocol/recordBatch/v0/decoder.js"
import response, { type DecodedFetch, type DecodedPartition } from "kafkajs/src/protocol/requests/fetch/v11/response.js"
import { hasRoom, withinBudget } from "./KafkaCompression.ts"

/** Where a batch has the number of its last offset, counted from its first, and its shortest length, bytes. */
const lastDeltaAt = 23
const shortest = 61

type Message = DecodedPartition["messages"][number]

/** Stands for everything up to its offset. */
const markAt = (offset: bigint): Message => ({
  attributes: 0,
  timestamp: "0",
  offset: String(offset),
  key: null,
  value: null,
  headers: {},
  isControlRecord: true,
  isSkippedBatch: true,
  batchContext: { producerId: "-1", inTransaction: false }
})

/** Brokers check what a producer says about the offsets of its batch, so the last one is believed. */
const firstBatch = async (bytes: Buffer): Promise<ReadonlyArray<Message>> =>
  bytes.length < shortest || !hasRoom() ? [] : readBatch(new Decoder(bytes)).then(
    ({ records }) => records,
    (error: Error) =>
      // Kafka cuts the last batch of an answer; the next answer brings it whole.
      error.name === "KafkaJSPartialMessageError"
        ? []
        : [markAt(bytes.readBigInt64BE(0) + BigInt(bytes.readInt32BE(lastDeltaAt)))]
  )

const readPartition = async (answer: Decoder): Promise<DecodedPartition> => ({
  partition: answer.readInt32(),
  errorCode: answer.readInt16(),
  highWatermark: String(answer.readInt64()),
  lastStableOffset: String(answer.readInt64()),
  lastStartOffset: String(answer.readInt64()),
  abortedTransactions: answer.readArray((one) => ({ producerId: String(one.readInt64()), firstOffset: String(one.readInt64()) })),
  preferredReadReplica: answer.readInt32(),
  messages: await firstBatch(answer.readBytes() ?? Buffer.alloc(0))
})

/** Version 11, which every broker since 2.3 answers. */
const readFirstBatches = async (bytes: Buffer): Promise<DecodedFetch> => {
  const answer = new Decoder(bytes)
  // The wait that the broker asks for is kept by kafkajs, before its next request.
  const clientSideThrottleTime = answer.readInt32()
  const errorCode = answer.readInt16()
  const sessionId = answer.readInt32()
  const responses = await answer.readArrayAsync(async () => ({
    topicName: answer.readString() ?? "",
    partitions: await answer.readArrayAsync(readPartition)
  }))
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses }
}

const { decode } = response

response.decode = (bytes) => withinBudget(() => decode(bytes)).catch(() => withinBudget(() => readFirstBatches(bytes)))
