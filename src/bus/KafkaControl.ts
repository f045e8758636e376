/** What the servers tell all probes, in a topic that only servers write: every probe reads it from the moment it listens. */
import { Effect, Option, Queue, Stream } from "effect"
import type { Bus } from "./Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import { tail } from "./KafkaTail.ts"
import { timeWire } from "./Wire.ts"

/** The key of the servers' time. */
const timeKey = "time"

/** A reader that falls behind receives the newest. */
const mostWaiting = 100

/** Read promptly: each delay here makes the reader's clock seem ahead. */
const times = (client: KafkaClient): Stream.Stream<number> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const queue = yield* Queue.sliding<number>(mostWaiting)
    yield* Effect.forkScoped(tail(client, {
      topic: client.topics.control,
      take: ({ key, value }) => {
        if (key?.toString() !== timeKey) return true
        const found = timeWire.decode(value)
        if (Option.isSome(found)) queue.unsafeOffer(found.value.serverTime)
        return Option.isSome(found)
      }
    }))
    return Stream.fromQueue(queue)
  }))

export const makeKafkaControl = Effect.fn("KafkaControl.make")(function*(client: KafkaClient) {
  const producer = yield* makeKafkaProducer(client, client.topics.control)
  return {
    publishTime: (now) =>
      Effect.flatMap(now, (serverTime) => producer.send([{ key: timeKey, value: timeWire.encode({ serverTime }) }])),
    times: times(client)
  } satisfies Pick<Bus["Type"], "publishTime" | "times">
})
