/** Batches that an enrolled probe may write to the topic of results, to stop those who read it or to use up their memory. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { CompressionCodecs, CompressionTypes, Kafka, logLevel, type Message } from "kafkajs"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createGzip } from "node:zlib"
import { Bus } from "../../src/bus/Bus.ts"
import { KafkaBus } from "../../src/bus/kafka/KafkaBus.ts"
import { sharedTopics } from "../../src/bus/kafka/TopicPlans.ts"
import { monitorShard } from "../../src/domain/monitor/MonitorShard.ts"
import { insist, keptOffsets, main, monitor, record, result, until } from "../bus/Fixtures.ts"
import { canRunKafka, type LocalKafka, makeLocalKafka } from "../support/kafka/LocalKafka.ts"
import { recordBytes, varInt } from "../support/kafka/RecordBatchBytes.ts"
import { probeKeys } from "../support/kafka/TestProbes.ts"
import { metricValue } from "../support/measure/MetricValue.ts"
import { until as poll } from "../support/time/Until.ts"

const canRun = await canRunKafka()

const mebibyte = 1024 * 1024
const gibibyte = 1024 * mebibyte

/** A record with a value of as many zeros, compressed: a thousandth of it. */
const bombOf = async (size: number): Promise<Buffer> => {
  const start = Buffer.concat([Buffer.from([0]), varInt(0), varInt(0), varInt(-1), varInt(size)])
  const gzip = createGzip({ level: 9 })
  const parts: Array<Buffer> = []
  gzip.on("data", (part: Buffer) => void parts.push(part))
  const ended = once(gzip, "end")
  gzip.write(Buffer.concat([varInt(start.length + size + 1), start]))
  const zeros = Buffer.alloc(mebibyte)
  for (let written = 0; written < size; written += zeros.length) if (!gzip.write(zeros)) await once(gzip, "drain")
  gzip.end(varInt(0))
  await ended
  return Buffer.concat(parts)
}

type Compression = CompressionTypes.GZIP | CompressionTypes.Snappy

interface Codec {
  readonly compress: (encoder: { readonly buffer: Buffer }) => Promise<Buffer>
  readonly decompress: (bytes: Buffer) => Promise<Buffer>
}
const codecs: Record<number, () => Codec> = CompressionCodecs

/** The most memory that this process has had, in bytes. */
const peak = (): number => process.resourceUsage().maxRSS * 1024

describe.skipIf(!canRun)("hostile batches of results", () => {
  const scope = Effect.runSync(Scope.make())
  let kafka: LocalKafka
  beforeAll(async () => {
    kafka = await Effect.runPromise(makeLocalKafka.pipe(Scope.extend(scope)))
    await Effect.runPromise(kafka.start)
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const build = (topicPrefix: string, logs: Array<string>) =>
    Layer.build(
      Layer.provide(KafkaBus.layer({ brokers: [kafka.address], topicPrefix, partitions: 4 }), probeKeys("main")).pipe(
        Layer.provide(Logger.add(Logger.make(({ message }) => void logs.push(String(message)))))
      )
    ).pipe(Effect.flatMap((context) => Effect.provide(Bus, context)))

  /** Sends a batch; `bytes` take the place of its compressed records. */
  const send = (
    topic: string,
    partition: number,
    messages: Array<Message>,
    compression: Compression,
    bytes: Buffer | null
  ) =>
    Effect.promise(async () => {
      const before: (() => Codec) | undefined = codecs[compression]
      if (bytes !== null) codecs[compression] = () => ({ compress: async () => bytes, decompress: async () => bytes })
      const producer = new Kafka({ brokers: [kafka.address], logLevel: logLevel.NOTHING }).producer({ retry: { retries: 0 } })
      await producer.connect()
      await producer.send({
        topic,
        messages: messages.map((message) => ({ ...message, partition })),
        compression,
        timeout: 60_000
      })
      await producer.disconnect()
      if (before !== undefined) codecs[compression] = before
    })

  const attacked = Effect.fn(function*(
    messages: Array<Message>,
    compression: Compression,
    bytes: Buffer | null
  ) {
    const prefix = `${randomUUID()}.`
    const { results: topic } = sharedTopics(prefix)
    const logs: Array<string> = []
    const bus = yield* build(prefix, logs)
    yield* insist(bus.open(main))
    const attackedPartition = monitorShard(result(monitor(1), 1))
    yield* insist(bus.report([result(monitor(1), 1)]))
    yield* send(topic, attackedPartition, messages, compression, bytes)
    yield* insist(bus.report([result(monitor(1), 2)]))
    const before = peak()
    const seen = yield* record(bus)
    yield* until(seen, (all) => all.some(({ slot }) => slot === 2))
    const grown = peak() - before
    // The offset moves past the batch, so that nobody reads it again.
    const end = String(messages.length + 2)
    yield* poll(Effect.sync(() => keptOffsets(topic)), (kept) => kept.includes(end))
    expect(logs.filter((line) => line.includes(`Refused 1 message of ${topic} (batch)`))).toHaveLength(1)
    expect(yield* metricValue("belltower_bus_refused_messages_total", { topic, reason: "batch" })).toBe(1)
    return grown
  })

  it.scopedLive("that hold a gibibyte in a megabyte take a bounded part of it", () =>
    Effect.gen(function*() {
      const bomb = yield* Effect.promise(() => bombOf(gibibyte))
      expect(bomb.length).toBeLessThan(1.1 * mebibyte)
      const grown = yield* attacked([{ value: "" }], CompressionTypes.GZIP, bomb)
      expect(grown).toBeLessThan(128 * mebibyte)
    }))

  it.scopedLive("of more messages than ours send, which hold nothing", () =>
    attacked(Array.from({ length: 5_000 }, () => ({ value: null })), CompressionTypes.GZIP, null))

  it.scopedLive("with a message of 50,000 headers", () =>
    attacked(
      [{ value: "x", headers: { a: Array.from({ length: 50_000 }, () => "b") } }],
      CompressionTypes.GZIP,
      null
    ))

  it.scopedLive("compressed in a way that nobody here reads", () => {
    const bytes = recordBytes({ delta: 0, value: "x" })
    // Snappy: the length, then all of it literally.
    const snappy = Buffer.concat([Buffer.from([bytes.length, (bytes.length - 1) << 2]), bytes])
    return attacked([{ value: "x" }], CompressionTypes.Snappy, snappy)
  })
})
