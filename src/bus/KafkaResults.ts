/** Check results over Kafka: a monitor's results share a partition; a batch is committed once it has been written. */
import { Array as Arr, Effect, Option, type Scope } from "effect"
import type { KafkaMessage } from "kafkajs"
import type { CheckResult } from "../../schema/check/Bus.ts"
import { retryForever } from "../loops/RetryForever.ts"
import { type Bus, openBatches } from "./Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { consume, type Delivery, whileBeating } from "./KafkaConsumer.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import { resultWire, skipUnreadable } from "./Wire.ts"

const batchSize = 500
const partitionsAtOnce = 4

const readBatch = (messages: ReadonlyArray<KafkaMessage>) => {
  const results: Array<CheckResult> = []
  const unreadable: Array<string> = []
  for (const { offset, value } of messages) {
    const result = resultWire.decode(value)
    if (Option.isSome(result)) results.push(result.value)
    else unreadable.push(offset)
  }
  return { results, unreadable }
}

type Handle = Parameters<Bus["Type"]["results"]>[0]

/** Handles a delivery in chunks; each chunk is committed, in order, once its effect completes. */
const handleDelivery = (handle: Handle, room: Effect.Semaphore, scope: Scope.Scope) =>
  Effect.fn("KafkaResults.handle")(function*(delivery: Delivery) {
    const { messages, partition, topic } = delivery.batch
    for (const chunk of Arr.chunksOf(messages, batchSize)) {
      if (!delivery.isRunning() || delivery.isStale()) return
      const { results, unreadable } = readBatch(chunk)
      const last = chunk.at(-1)
      yield* skipUnreadable(topic, partition, unreadable)
      const work = Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          restore(room.take(1)),
          Effect.onError(restore(retryForever("Recording check results", handle(results))), () => room.release(1))
        )
      )
      const finish = results.length === 0 ? Effect.void : yield* whileBeating(delivery, work)
      if (last === undefined) continue
      delivery.resolveOffset(last.offset)
      yield* finish.pipe(
        Effect.zipRight(Effect.sync(() => delivery.done(last.offset))),
        Effect.ensuring(results.length === 0 ? Effect.void : room.release(1)),
        Effect.forkIn(scope)
      )
    }
  })

export const makeKafkaResults = Effect.fn("KafkaResults.make")(function*(client: KafkaClient, ready: Effect.Effect<void>) {
  const topic = client.topics.results
  const groupId = `${client.settings.topicPrefix}runners`
  const producer = yield* makeKafkaProducer(client, topic, ready)
  const results: Pick<Bus["Type"], "report" | "results"> = {
    report: (reported) => producer.send(reported.map((result) => ({ key: result.monitorId, value: resultWire.encode(result) }))),
    results: (handle) =>
      Effect.gen(function*() {
        const room = yield* Effect.makeSemaphore(openBatches)
        const scope = yield* Effect.scope
        yield* ready.pipe(
          Effect.andThen(consume(client, {
            groupId,
            topic,
            from: "beginning",
            concurrency: partitionsAtOnce,
            handle: handleDelivery(handle, room, scope)
          })),
          Effect.forkScoped
        )
      })
  }
  return results
})
