/** Answers of Kafka: what producers write is read whole, and a batch that cannot be read is passed over without a loss of what follows. */
import { describe, expect, it } from "@effect/vitest"
import response from "kafkajs/src/protocol/requests/fetch/v11/response.js"
import { gzipSync } from "node:zlib"
import "../../../src/bus/kafka/KafkaAnswers.ts"
import { batchBytes, recordBytes, varInt } from "../../support/kafka/RecordBatchBytes.ts"

const [gzip, snappy] = [1, 2]
const mebibyte = 1024 * 1024

const int16 = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const int64 = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

/** An answer about one topic (Kafka: fetch, version 11), with the batches of each partition. */
const answerOf = (partitions: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat([
    ...[int32(0), int16(0), int32(0), int32(1), int16(5), Buffer.from("topic"), int32(partitions.length)],
    ...partitions.flatMap((batches, partition) => [
      ...[int32(partition), int16(0), int64(100), int64(100), int64(0), int32(-1), int32(-1), int32(batches.length), batches]
    ])
  ])

const records = (...values: ReadonlyArray<string>) => values.map((value, delta) => recordBytes({ delta, value }))
const compressed = (base: number, all: ReadonlyArray<Buffer>) =>
  batchBytes({ base, records: all, attributes: gzip, body: gzipSync(Buffer.concat(all)) })
/** A batch of one message of so many bytes. */
const zeros = (base: number, size: number) => {
  const record = Buffer.concat([
    ...[varInt(7 + varInt(size).length - 1 + size - 1), Buffer.from([0]), varInt(0), varInt(0), varInt(-1), varInt(size)],
    ...[Buffer.alloc(size), varInt(0)]
  ])
  return compressed(base, [record])
}

interface Read {
  readonly offset: string
  readonly value: string | null
}

const read = async (partitions: ReadonlyArray<Buffer>): Promise<ReadonlyArray<ReadonlyArray<Read>>> => {
  const { responses } = await response.decode(answerOf(partitions))
  return responses.flatMap((topic) =>
    topic.partitions.map(({ messages }) =>
      messages.map(({ isSkippedBatch, offset, value }) => ({
        offset,
        value: isSkippedBatch === true ? "skipped" : value === null ? null : value.toString().slice(0, 10)
      }))
    )
  )
}

const one = (offset: number, value: string): Read => ({ offset: String(offset), value })
const first = compressed(0, records("a", "b"))
const second = batchBytes({ base: 2, records: records("c") })

describe("an answer of Kafka", () => {
  it("is read whole, compressed or not", async () => {
    expect(await read([Buffer.concat([first, second]), Buffer.alloc(0), second])).toEqual([
      [one(0, "a"), one(1, "b"), one(2, "c")],
      [],
      [one(2, "c")]
    ])
  })

  it.each<readonly [string, (base: number) => Buffer]>([
    ["that becomes more than any of ours", (base) => zeros(base, 9 * mebibyte)],
    [
      "of more messages than ours have",
      (base) => compressed(base, Array.from({ length: 4_001 }, (_, delta) => recordBytes({ delta })))
    ],
    [
      "with a message of more headers than ours have",
      (base) => compressed(base, [recordBytes({ delta: 0, headers: Array.from({ length: 9 }, () => ["a", ""] as const) })])
    ],
    ["that is compressed otherwise", (base) => batchBytes({ base, records: records("x"), attributes: snappy })],
    ["that is not compressed as it says", (base) => batchBytes({ base, records: records("x"), attributes: gzip })]
  ])("passes over a batch %s", async (_, bad) => {
    const isFirst = bad(0)
    const last = isFirst.readInt32BE(23)
    const behind = bad(2)
    const found = await read([Buffer.concat([isFirst, second]), Buffer.concat([first, behind]), second])
    // Each partition has its first batch, and the next answers bring the rest.
    expect(found).toEqual([[one(last, "skipped")], [one(0, "a"), one(1, "b")], [one(2, "c")]])
    expect(await read([behind, second])).toEqual([[one(2 + last, "skipped")], [one(2, "c")]])
  })

  it("takes a bounded part of memory with many batches that become large together, and each next answer goes on", async () => {
    const large = zeros(0, 7 * mebibyte)
    const partitions = Array.from({ length: 24 }, () => Buffer.concat([large, zeros(1, 7 * mebibyte)]))
    const found = await read(partitions)
    const taken = found.filter((messages) => messages.length > 0)
    expect(taken.length).toBeGreaterThan(4)
    expect(taken.length).toBeLessThan(10)
    expect(new Set(taken.flat().map(({ offset, value }) => `${offset} ${value === "skipped"}`))).toEqual(new Set(["0 false"]))
  })

  it("leaves a batch that is cut to the next answer, beside one that cannot be read", async () => {
    const bad = batchBytes({ base: 0, records: records("x"), attributes: snappy })
    expect(await read([first.subarray(0, first.length - 1), bad])).toEqual([[], [one(0, "skipped")]])
  })
})
