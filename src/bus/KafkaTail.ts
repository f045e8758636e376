/** Reads everything sent to a topic from now on; nothing about it is kept by the brokers. */
import { Array as Arr, Effect } from "effect"
import type { KafkaMessage } from "kafkajs"
import type { KafkaClient } from "./KafkaClient.ts"
import { type Reading, readPartitions, type Source } from "./KafkaReader.ts"
import { type FetchPace, promptly } from "./KafkaSession.ts"
import { skipUnreadable } from "./Wire.ts"

interface Tail extends Pick<Source, "topic" | "reading"> {
  readonly pace?: FetchPace
  /** False when the message cannot be decoded. */
  readonly take: (message: KafkaMessage) => boolean
}

/** Reads until its fiber ends; after an outage it continues where it was. */
export const tail = (client: KafkaClient, { pace = promptly, reading, take, topic }: Tail): Effect.Effect<never> =>
  Effect.suspend(() => {
    const readings = new Map<number, Reading>()
    return readPartitions(client, {
      topic,
      from: "end",
      pace,
      fewest: 1,
      known: (partitions) => {
        for (const partition of partitions) if (!readings.has(partition)) readings.set(partition, { partition, next: null })
      },
      readings: () => readings.values(),
      isCurrent: () => true,
      take: (fetched) => {
        const skipped = fetched.map(({ messages, reading: { partition } }) => {
          const [unreadable] = Arr.partition(messages, take)
          return skipUnreadable(topic, partition, unreadable.map(({ offset }) => offset))
        })
        return Effect.all(skipped, { discard: true })
      },
      ...(reading === undefined ? {} : { reading })
    })
  })
