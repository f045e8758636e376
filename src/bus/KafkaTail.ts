/** Everything that is sent to a topic from now on, read by a consumer of its own. */
import { Array as Arr, Effect } from "effect"
import type { KafkaMessage } from "kafkajs"
import { randomUUID } from "node:crypto"
import type { KafkaClient } from "./KafkaClient.ts"
import { consume } from "./KafkaConsumer.ts"
import { skipUnreadable } from "./Wire.ts"

export interface Tail {
  readonly topic: string
  /** False where the message cannot be read. */
  readonly take: (message: KafkaMessage) => boolean
  /** Open while messages that are sent now would be read. */
  readonly reading?: Effect.Latch
}

/**
 * Reads until its fiber ends. The group has a name of its own and commits nothing: Kafka forgets a group without members
 * and offsets by itself, within ten minutes, also after a crash.
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
