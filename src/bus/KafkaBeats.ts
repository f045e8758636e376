/** Beats over Kafka: every reader receives every beat from the moment it listens. */
import { Effect, Option, Queue, Stream } from "effect"
import type { KafkaMessage } from "kafkajs"
import type { Beat } from "../../schema/check/Bus.ts"
import type { Bus } from "./Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import type { FetchPace } from "./KafkaSession.ts"
import { tail } from "./KafkaTail.ts"
import { beatWire } from "./Wire.ts"

/** A region is judged by the beats of the last 30 s: they may gather in the broker. */
const pace: FetchPace = { minBytes: 64 * 1024, maxWaitTimeInMs: 2_000 }

/** A reader that falls behind receives the newest. */
const waitingBeats = 1_000

const listen = Effect.fn("KafkaBeats.listen")(function*(client: KafkaClient, ready: Effect.Effect<void>) {
  const queue = yield* Queue.sliding<Beat>(waitingBeats)
  const take = ({ value }: KafkaMessage): boolean => {
    const beat = beatWire.decode(value)
    if (Option.isSome(beat)) queue.unsafeOffer(beat.value)
    return Option.isSome(beat)
  }
  const read = tail(client, { topic: client.topics.beats, pace, take })
  yield* ready.pipe(Effect.andThen(read), Effect.forkScoped)
  return Stream.fromQueue(queue)
})

export const makeKafkaBeats = Effect.fn("KafkaBeats.make")(function*(client: KafkaClient, ready: Effect.Effect<void>) {
  const producer = yield* makeKafkaProducer(client, client.topics.beats, ready)
  const beats: Pick<Bus["Type"], "beat" | "beats"> = {
    beat: (beat) => producer.send([{ key: beat.workerId, value: beatWire.encode(beat) }]),
    beats: Stream.unwrapScoped(listen(client, ready))
  }
  return beats
})
