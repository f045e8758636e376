/** Reads everything sent to a topic from now on, with a consumer of its own. */
import { Array as Arr, Effect } from "effect"
import type { KafkaMessage } from "kafkajs"
import { randomUUID } from "node:crypto"
import type { KafkaClient } from "./KafkaClient.ts"
import { consume } from "./KafkaConsumer.ts"
import { skipUnreadable } from "./Wire.ts"

export interface Tail {
  readonly topic: string
  /** False when the message cannot be decoded. */
  readonly take: (message: KafkaMessage) => boolean
  /** Open while messages sent now will be read. */
  readonly reading?: Effect.Latch
}

/**
 * Reads until its fiber ends. The group has a unique name and commits nothing: Kafka removes a group without members and
 * offsets within ten minutes, also after a crash.
 */
export const tail = (client: KafkaClient, { reading, take, topic }: Tail): Effect.Effect<never> =>
  consume(client, {
    groupId: `${topic}.tail.${randomUUID()}`,
    topic,
    from: "end",
    concurrency: 1,
    ...(reading === undefined ? {} : { reading }),
    handle: Effect.fnUntraced(function*({ batch, resolveOffset }) {
      const [unreadable] = Arr.partition(batch.messages, take)
      resolveOffset(batch.lastOffset())
      yield* skipUnreadable(topic, batch.partition, unreadable.map(({ offset }) => offset))
    })
  })
