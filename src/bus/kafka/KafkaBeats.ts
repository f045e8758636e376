/** Beats over Kafka: every reader receives every one from the moment it listens. */
import { Effect, Option, Queue, Stream } from "effect"
import type { KafkaMessage } from "kafkajs"
import type { Beat } from "../../../schema/check/Bus.ts"
import type { Bus } from "../Bus.ts"
import { type BusKeys, lacksKeys, type ServerKeys } from "../BusKeys.ts"
import { learnSenders, signed, signerOf } from "../Signed.ts"
import { beatWire } from "../Wire.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import type { FetchPace } from "./KafkaSession.ts"
import { tail, type Taken } from "./KafkaTail.ts"

/** A region is judged by the beats of the last 30 s: they may gather in the broker. */
const gathering: FetchPace = { minBytes: 64 * 1024, maxWaitTimeInMs: 2_000 }

/** A reader that falls behind receives the newest. */
const mostWaiting = 1_000

/** A beat that is older says nothing: somebody may have kept it and sends it again, ms. */
const freshMs = 120_000

/** The judgement of a beat. A probe that may not beat gets an answer that says it. */
const judge = (servers: ServerKeys, message: KafkaMessage, now: number): Beat | Exclude<Taken, "taken"> => {
  const signer = signerOf(servers, "beat", message)
  if (typeof signer === "string") return signer
  const beat = Option.getOrNull(beatWire.decode(message.value))
  if (beat === null) return "unreadable"
  if (beat.region !== signer.region) return "region"
  servers.heard(signer, beat, now)
  return signer.isRevoked ? "revoked" : Math.abs(now - beat.at) > freshMs ? "stale" : beat
}

const beats = (client: KafkaClient, servers: ServerKeys): Stream.Stream<Beat> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const queue = yield* Queue.sliding<Beat>(mostWaiting)
    const clock = yield* Effect.clock
    yield* Effect.forkScoped(tail(client, {
      topic: client.topics.beats,
      pace: gathering,
      prepare: (messages) => learnSenders(servers, messages),
      take: (message) => {
        const found = judge(servers, message, clock.unsafeCurrentTimeMillis())
        if (typeof found === "string") return found
        queue.unsafeOffer(found)
        return "taken"
      }
    }))
    return Stream.fromQueue(queue)
  }))

export const makeKafkaBeats = Effect.fn("KafkaBeats.make")(function*(client: KafkaClient, { probe, servers }: BusKeys["Type"]) {
  const producer = yield* makeKafkaProducer(client, client.topics.beats)
  return {
    beat: (beat) =>
      probe === null
        ? lacksKeys("beat")
        : producer.send([signed(probe, "beat", { key: beat.workerId, value: beatWire.encode(beat) })]),
    beats: servers === null ? Stream.fromEffect(lacksKeys("hear beats")) : beats(client, servers)
  } satisfies Pick<Bus["Type"], "beat" | "beats">
})
