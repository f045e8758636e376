/** Beats and the servers' time over Kafka, in one topic: every reader receives every one from the moment it listens. */
import { Effect, Option, Queue, Stream } from "effect"
import type { KafkaMessage } from "kafkajs"
import type { Bus } from "./Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import { type FetchPace, promptly } from "./KafkaSession.ts"
import { tail } from "./KafkaTail.ts"
import { beatWire, timeWire, type Wire } from "./Wire.ts"

/** A region is judged by the beats of the last 30 s: they may gather in the broker. */
const gathering: FetchPace = { minBytes: 64 * 1024, maxWaitTimeInMs: 2_000 }

/** The key of the servers' time; those of beats are the ids of workers. */
const timeKey = "time"

const isTime = ({ key }: KafkaMessage): boolean => key?.toString() === timeKey

/** A reader that falls behind receives the newest. */
const mostWaiting = 1_000

/** Either the servers' time or the beats, from now on. */
const listen = <A>(client: KafkaClient, toTime: boolean, wire: Wire<A>, pace: FetchPace): Stream.Stream<A> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const queue = yield* Queue.sliding<A>(mostWaiting)
    const take = (message: KafkaMessage): boolean => {
      if (isTime(message) !== toTime) return true
      const found = wire.decode(message.value)
      if (Option.isSome(found)) queue.unsafeOffer(found.value)
      return Option.isSome(found)
    }
    yield* Effect.forkScoped(tail(client, { topic: client.topics.beats, pace, take }))
    return Stream.fromQueue(queue)
  }))

export const makeKafkaBeats = Effect.fn("KafkaBeats.make")(function*(client: KafkaClient) {
  const producer = yield* makeKafkaProducer(client, client.topics.beats)
  return {
    beat: (beat) => producer.send([{ key: beat.workerId, value: beatWire.encode(beat) }]),
    beats: listen(client, false, beatWire, gathering),
    publishTime: (now) =>
      Effect.flatMap(now, (serverTime) => producer.send([{ key: timeKey, value: timeWire.encode({ serverTime }) }])),
    // Read promptly: each delay here makes the reader's clock seem ahead.
    times: Stream.map(listen(client, true, timeWire, promptly), ({ serverTime }) => serverTime)
  } satisfies Pick<Bus["Type"], "beat" | "beats" | "publishTime" | "times">
})
