/** Beats over Kafka: every reader receives every one from the moment it listens. */
import { Effect, Option, Queue, Stream } from "effect"
import type { Beat } from "../../schema/check/Bus.ts"
import type { Bus } from "./Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import type { FetchPace } from "./KafkaSession.ts"
import { tail } from "./KafkaTail.ts"
import { beatWire } from "./Wire.ts"

/** A region is judged by the beats of the last 30 s: they may gather in the broker. */
const gathering: FetchPace = { minBytes: 64 * 1024, maxWaitTimeInMs: 2_000 }

/** A reader that falls behind receives the newest. */
const mostWaiting = 1_000

const beats = (client: KafkaClient): Stream.Stream<Beat> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const queue = yield* Queue.sliding<Beat>(mostWaiting)
    yield* Effect.forkScoped(tail(client, {
      topic: client.topics.beats,
      pace: gathering,
      take: ({ value }) => {
        const found = beatWire.decode(value)
        if (Option.isSome(found)) queue.unsafeOffer(found.value)
        return Option.isSome(found)
      }
    }))
    return Stream.fromQueue(queue)
  }))

export const makeKafkaBeats = Effect.fn("KafkaBeats.make")(function*(client: KafkaClient) {
  const producer = yield* makeKafkaProducer(client, client.topics.beats)
  return {
    beat: (beat) => producer.send([{ key: beat.workerId, value: beatWire.encode(beat) }]),
    beats: beats(client)
  } satisfies Pick<Bus["Type"], "beat" | "beats">
})
