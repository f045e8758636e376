/** Reads everything sent to a topic from now on; nothing about it is kept by the brokers. */
import { Effect } from "effect"
import type { KafkaMessage } from "kafkajs"
import { noteRefusals, type Refusal } from "../Signed.ts"
import { skipUnreadable } from "../Wire.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { type Fetched, type Reading, readPartitions, type Source } from "./KafkaReader.ts"
import type { FetchPace } from "./KafkaSession.ts"

/** The outcome of a message. */
export type Taken = "taken" | "unreadable" | Refusal

/** The broker answers as soon as there is a message, and a reader that ends does not wait for its fetch. */
const idly: FetchPace = { minBytes: 1, maxWaitTimeInMs: 5_000 }

interface Tail extends Pick<Source, "topic" | "reading"> {
  readonly pace?: FetchPace
  /** Runs before the messages are taken. */
  readonly prepare?: (messages: ReadonlyArray<KafkaMessage>) => Effect.Effect<void>
  readonly take: (message: KafkaMessage) => Taken
}

/** Reads until its fiber ends; after an outage it continues where it was. */
export const tail = (client: KafkaClient, { pace = idly, prepare, reading, take, topic }: Tail): Effect.Effect<never> =>
  Effect.suspend(() => {
    const readings = new Map<number, Reading>()
    const takeAll = Effect.fnUntraced(function*({ messages, reading: { partition } }: Fetched) {
      if (prepare !== undefined) yield* prepare(messages)
      const taken = messages.map((message) => [message.offset, take(message)] as const)
      yield* skipUnreadable(topic, partition, taken.flatMap(([offset, what]) => what === "unreadable" ? [offset] : []))
      yield* noteRefusals(topic, taken.flatMap(([, what]) => what === "taken" || what === "unreadable" ? [] : [what]))
    })
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
      take: (fetched) => Effect.forEach(fetched, takeAll, { discard: true }),
      ...(reading === undefined ? {} : { reading })
    })
  })
