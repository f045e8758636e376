/** Beats and the servers' time over Kafka, in one topic: every reader receives every one from the moment it listens. */
import { Effect, Option, Queue, Stream } from "effect"
import type { KafkaMessage } from "kafkajs"
import type { Beat } from "../../schema/check/Bus.ts"
import type { Bus } from "./Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import type { FetchPace } from "./KafkaSession.ts"
import { tail } from "./KafkaTail.ts"
import { beatWire, timeWire } from "./Wire.ts"

/** A region is judged by the beats of the last 30 s: they may gather in the broker. */
const pace: FetchPace = { minBytes: 64 * 1024, maxWaitTimeInMs: 2_000 }

/** The key of the servers' time; those of beats are the ids of workers. */
const timeKey = "time"

const isTime = ({ key }: KafkaMessage): boolean => key?.toString() === timeKey

/** A reader that falls behind receives the newest. */
const waitingBeats = 1_000

const listen = Effect.fn("KafkaBeats.listen")(function*(client: KafkaClient, ready: Effect.Effect<void>) {
  const queue = yield* Queue.sliding<Beat>(waitingBeats)
  const take = (message: KafkaMessage): boolean => {
    if (isTime(message)) return true
    const beat = beatWire.decode(message.value)
    if (Option.isSome(beat)) queue.unsafeOffer(beat.value)
    return Option.isSome(beat)
  }
  const read = tail(client, { topic: client.topics.beats, pace, take })
  yield* ready.pipe(Effect.andThen(read), Effect.forkScoped)
  return Stream.fromQueue(queue)
})

/** Read promptly: each delay here makes the reader's clock seem ahead. */
const listenToTime = Effect.fn("KafkaBeats.listenToTime")(function*(client: KafkaClient, ready: Effect.Effect<void>) {
  const queue = yield* Queue.sliding<number>(waitingBeats)
  const take = (message: KafkaMessage): boolean => {
    if (!isTime(message)) return true
    const time = timeWire.decode(message.value)
    if (Option.isSome(time)) queue.unsafeOffer(time.value.serverTime)
    return Option.isSome(time)
  }
  yield* ready.pipe(Effect.andThen(tail(client, { topic: client.topics.beats, take })), Effect.forkScoped)
  return Stream.fromQueue(queue)
})

export const makeKafkaBeats = Effect.fn("KafkaBeats.make")(function*(client: KafkaClient, ready: Effect.Effect<void>) {
  const producer = yield* makeKafkaProducer(client, client.topics.beats, ready)
  const beats: Pick<Bus["Type"], "beat" | "beats" | "tellTime" | "times"> = {
    beat: (beat) => producer.send([{ key: beat.workerId, value: beatWire.encode(beat) }]),
    beats: Stream.unwrapScoped(listen(client, ready)),
    tellTime: (now) =>
      Effect.flatMap(now, (serverTime) => producer.send([{ key: timeKey, value: timeWire.encode({ serverTime }) }])),
    times: Stream.unwrapScoped(listenToTime(client, ready))
  }
  return beats
})
