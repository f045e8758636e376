/** News of the servers for all probes, in a topic that only servers write: every probe reads it from the moment it listens. */
import { Array as Arr, Effect, Option, Queue, Record, Stream } from "effect"
import type { KafkaMessage } from "kafkajs"
import type { RegionId } from "../../../schema/check/Region.ts"
import { isProof, regionProof } from "../../domain/probe/RegionSeal.ts"
import type { Bus } from "../Bus.ts"
import { type BusKeys, lacksKeys, type ProbeKeys, type ServerKeys } from "../BusKeys.ts"
import { newsWire, timeWire } from "../Wire.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { makeKafkaProducer } from "./KafkaProducer.ts"
import { tail, type Taken } from "./KafkaTail.ts"

/** The keys of the servers' time, and of their messages to single probes. */
const keys = { time: "time", news: "news" } as const

/** A reader that falls behind receives the newest. */
const mostWaiting = 100

/** Probes in one message: some 500 kB. */
const newsAtOnce = 2_000

/** The time with a proof for each region, since each has a key of its own. */
const timeMessage = ({ regionKeys }: ServerKeys, serverTime: number) => {
  const proofs = Record.fromEntries(
    regionKeys().map((key): [RegionId, { epoch: number; proof: string }] => [
      key.region,
      { epoch: key.epoch, proof: regionProof(key, "time", String(serverTime)) }
    ])
  )
  return { key: keys.time, value: timeWire.encode({ serverTime, proofs }) }
}

/** The time that the servers have sent. One that is sent again looks like one that was long on its way, and counts for nothing. */
const timeOf = ({ region, regionKeys }: ProbeKeys, message: KafkaMessage): number | Exclude<Taken, "taken"> => {
  const found = Option.getOrNull(timeWire.decode(message.value))
  if (found === null) return "unreadable"
  const given = found.proofs[region]
  const key = regionKeys().find(({ epoch }) => epoch === given?.epoch)
  // The key of the epoch comes with the next news.
  if (given === undefined || key === undefined) return "unknown"
  return isProof(key, "time", String(found.serverTime), given.proof) ? found.serverTime : "forged"
}

const times = (client: KafkaClient, probe: ProbeKeys): Stream.Stream<number> =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const queue = yield* Queue.sliding<number>(mostWaiting)
    const news = yield* Queue.sliding<string | null>(mostWaiting)
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(news.take, probe.hear)))
    const take = (message: KafkaMessage): Taken => {
      const key = message.key?.toString()
      if (key === keys.news) {
        const found = newsWire.decode(message.value)
        if (Option.isSome(found)) news.unsafeOffer(found.value.news[probe.id] ?? null)
        return Option.isSome(found) ? "taken" : "unreadable"
      }
      if (key !== keys.time) return "taken"
      const time = timeOf(probe, message)
      if (typeof time === "string") return time
      queue.unsafeOffer(time)
      return "taken"
    }
    // Read promptly: each delay here makes the reader's clock seem ahead.
    yield* Effect.forkScoped(tail(client, { topic: client.topics.control, take }))
    return Stream.fromQueue(queue)
  }))

export const makeKafkaControl = Effect.fn("KafkaControl.make")(
  function*(client: KafkaClient, { probe, servers }: BusKeys["Type"]) {
    const producer = yield* makeKafkaProducer(client, client.topics.control)
    return {
      publishTime: (now) =>
        servers === null
          ? lacksKeys("publish the time")
          : Effect.flatMap(now, (serverTime) => producer.send([timeMessage(servers, serverTime)])),
      publishKeys: servers === null ? null : servers.refresh.pipe(
        Effect.zipRight(servers.news),
        Effect.flatMap((news) =>
          producer.send(
            Arr.chunksOf([...news], newsAtOnce).map((some) => ({
              key: keys.news,
              value: newsWire.encode({ news: Object.fromEntries(some) })
            }))
          )
        )
      ),
      times: probe === null ? Stream.fromEffect(lacksKeys("follow the servers' time")) : times(client, probe)
    } satisfies Pick<Bus["Type"], "publishKeys" | "publishTime" | "times">
  }
)
