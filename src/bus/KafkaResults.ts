/** Check results over Kafka: each goes to the partition of its monitor's shard, and the runner that holds the shard reads it. */
import { Array as Arr, Clock, Duration, Effect, Exit, Option } from "effect"
import type { KafkaMessage, Message } from "kafkajs"
import { randomUUID } from "node:crypto"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { monitorShard } from "../domain/monitor/MonitorShard.ts"
import { shardCount } from "../domain/Shard.ts"
import { restartForever } from "../loops/RestartForever.ts"
import { retryForever } from "../loops/RetryForever.ts"
import { type Bus, type BusUnavailable, openBatches, type ResultShards, type Unhandled } from "./Bus.ts"
import { type HeldPartitions, makeHeldPartitions } from "./HeldPartitions.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { beat, consume, type Subscription, whileBeating } from "./KafkaConsumer.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import { makeReadOffsets, type ReadOffsets } from "./ReadOffsets.ts"
import { makeResultIntake, type Piece, type ResultIntake } from "./ResultIntake.ts"
import { resultWire, skipUnreadable } from "./Wire.ts"

const batchSize = 500
/** All partitions of a fetch are taken in together. */
const partitionsAtOnce = 2 * shardCount
/** How long results gather before the next fetch: a batch of one costs about as much as a batch of ten. */
const gatherFor = Duration.millis(100)
/** How often moved shards are noticed. */
const refreshEvery = Duration.millis(250)
/** How often offsets are kept. What was read since is read again after a crash. */
const keepEvery = Duration.millis(500)
/** The broker expects a sign of life; fetches count only while they come back empty. */
const beatEvery = Duration.toMillis("1 second")

const readMessages = (messages: ReadonlyArray<KafkaMessage>) => {
  const results: Array<CheckResult> = []
  const unreadable: Array<string> = []
  for (const { offset, value } of messages) {
    const result = resultWire.decode(value)
    if (Option.isSome(result)) results.push(result.value)
    else unreadable.push(offset)
  }
  return { results, unreadable }
}

const messageOf = (result: CheckResult): Message => ({
  key: result.monitorId,
  value: resultWire.encode(result),
  partition: monitorShard(result)
})

type Report = Bus["Type"]["report"]
type Handle = Parameters<Bus["Type"]["results"]>[0]

/** The parts of one consumer of results. */
interface Consumption {
  readonly topic: string
  readonly shards: ResultShards
  readonly held: HeldPartitions
  readonly intake: ResultIntake
  readonly offsets: ReadOffsets
}

/** Takes in what was fetched from the partitions that this process reads. */
const makeTakeIn = ({ held, intake, topic }: Consumption): Subscription["handle"] => {
  let beatenAt = 0
  return Effect.fnUntraced(function*(delivery) {
    const { messages, partition } = delivery.batch
    const reading = held.of(partition)
    if (reading === undefined || delivery.isStale()) return
    for (const chunk of Arr.chunksOf(messages, batchSize)) {
      const last = chunk.at(-1)
      if (last === undefined) continue
      const { results, unreadable } = readMessages(chunk)
      reading.next = String(BigInt(last.offset) + 1n)
      intake.offer({ reading, results, next: reading.next })
      if (unreadable.length > 0) yield* skipUnreadable(topic, partition, unreadable)
    }
    delivery.resolveOffset(delivery.batch.lastOffset())
    if (intake.isFull()) return yield* whileBeating(delivery, intake.room)
    const now = yield* Clock.currentTimeMillis
    if (Math.abs(now - beatenAt) >= beatEvery) {
      beatenAt = now
      yield* beat(delivery)
    }
    if (intake.size() < batchSize) yield* Effect.sleep(gatherFor)
  })
}

/** Results of a probe that does not know the rule of the partitions yet are sent on to where their actors live. */
const makeHandlePieces = (handle: Handle, report: Report) =>
  Effect.fnUntraced(function*(pieces: ReadonlyArray<Piece>) {
    const belongs = ({ partition }: Piece["reading"]) => (result: CheckResult) => monitorShard(result) === partition % shardCount
    const results = pieces.flatMap((piece) => piece.results.filter(belongs(piece.reading)))
    const misplaced = pieces.flatMap((piece) => piece.results.filter((result) => !belongs(piece.reading)(result)))
    if (misplaced.length > 0) yield* report(misplaced)
    return results.length === 0 ? Effect.void : yield* handle(results)
  })

/** Passes batches on, each of pieces that are still this process's to read. */
const makePassOn = (
  parts: Consumption,
  handlePieces: (pieces: ReadonlyArray<Piece>) => Effect.Effect<Effect.Effect<void, Unhandled>, BusUnavailable>
) =>
  Effect.gen(function*() {
    const { held, intake, offsets } = parts
    const room = yield* Effect.makeSemaphore(openBatches)
    const scope = yield* Effect.scope

    const pass = (pieces: ReadonlyArray<Piece>) =>
      Effect.uninterruptibleMask((restore) => {
        const batch = offsets.begin(pieces)
        const giveUp = held.drop(pieces.map(({ reading }) => reading))
        const end = Effect.zipRight(Effect.sync(batch.finish), room.release(1))
        return restore(retryForever("Recording check results", handlePieces(pieces))).pipe(
          Effect.onError(() => Effect.zipRight(giveUp, end)),
          Effect.flatMap((written) =>
            restore(written).pipe(
              Effect.exit,
              // What was not written is read again from the kept offset.
              Effect.flatMap((exit) => Exit.isSuccess(exit) ? Effect.void : giveUp),
              Effect.ensuring(end),
              Effect.forkIn(scope)
            )
          )
        )
      })

    const step = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        yield* restore(room.take(1))
        const fetched = yield* restore(intake.take(batchSize)).pipe(Effect.onInterrupt(() => room.release(1)))
        const pieces = fetched.filter(({ reading }) => held.isCurrent(reading))
        if (pieces.length === 0) return yield* room.release(1)
        yield* restore(pass(pieces))
      })
    )
    return yield* restartForever("Taking in check results", Effect.forever(step))
  })

/** Keeps the offsets that moved. A partition that another reader has claimed since is read no longer. */
const makeKeepOffsets = ({ held, offsets, shards, topic }: Consumption) => {
  const waiting = new Map<number, { readonly reading: Piece["reading"]; readonly next: string }>()
  return Effect.gen(function*() {
    for (const [reading, next] of offsets.takeMoved()) waiting.set(reading.partition, { reading, next })
    for (const [partition, { reading }] of waiting) if (!held.isCurrent(reading)) waiting.delete(partition)
    if (waiting.size === 0) return
    const keeping = [...waiting]
    const kept = yield* shards.keep(topic, new Map(keeping.map(([partition, { next }]) => [partition, next])))
    waiting.clear()
    yield* held.drop(keeping.flatMap(([partition, { reading }]) => kept.has(partition) ? [] : [reading]))
  })
}

const consumeResults = (
  client: KafkaClient,
  ready: Effect.Effect<void>,
  report: Report
): Bus["Type"]["results"] =>
(handle, shards) =>
  Effect.gen(function*() {
    const topic = client.topics.results
    const held = makeHeldPartitions(topic, shards)
    const parts: Consumption = { topic, shards, held, intake: makeResultIntake(), offsets: makeReadOffsets() }
    const keep = makeKeepOffsets(parts)
    yield* Effect.addFinalizer(() => keep.pipe(Effect.interruptible, Effect.timeoutOption("1 second"), Effect.ignore))
    const every = (what: string, pause: Duration.Duration, step: Effect.Effect<void, unknown>) =>
      Effect.forkScoped(restartForever(what, Effect.forever(Effect.delay(retryForever(what, step), pause))))
    yield* every("Keeping the offsets of check results", keepEvery, keep)
    yield* every("Following the shards of check results", refreshEvery, held.refresh)
    yield* Effect.forkScoped(makePassOn(parts, makeHandlePieces(handle, report)))
    const subscription: Subscription = {
      // A group of its own: the shards say who reads what. It commits nothing, so Kafka removes it soon after it has ended.
      groupId: `${client.settings.topicPrefix}runner.${randomUUID()}`,
      topic,
      from: "beginning",
      concurrency: partitionsAtOnce,
      joined: held.joined,
      handle: makeTakeIn(parts)
    }
    yield* Effect.forkScoped(Effect.zipRight(ready, consume(client, subscription)))
  })

export const makeKafkaResults = Effect.fn("KafkaResults.make")(function*(client: KafkaClient, ready: Effect.Effect<void>) {
  const producer = yield* makeKafkaProducer(client, client.topics.results, ready)
  const report: Report = (reported) => producer.send(reported.map(messageOf))
  const results: Pick<Bus["Type"], "report" | "results"> = { report, results: consumeResults(client, ready, report) }
  return results
})
