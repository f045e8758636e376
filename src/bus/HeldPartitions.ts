/** The partitions of results that this process reads: those of the shards it holds, each from its kept offset. */
import { Effect } from "effect"
import type { Consumer } from "kafkajs"
import { shardCount } from "../domain/Shard.ts"
import type { ResultShards } from "./Bus.ts"
import type { Reading } from "./ResultIntake.ts"

export interface HeldPartitions {
  /** Called when the consumer has joined its group: everything is paused that is not held. */
  readonly joined: (partitions: ReadonlyArray<number>, consumer: Consumer) => void
  /** The current reading of a partition; undefined when it is not held. */
  readonly of: (partition: number) => Reading | undefined
  /** Whether a reading is still the current one of its partition. */
  readonly isCurrent: (reading: Reading) => boolean
  /** Stops reading; if the shard is still held, `refresh` claims the partition again and reads from its kept offset. */
  readonly drop: (readings: Iterable<Reading>) => Effect.Effect<void>
  /** Begins to read the partitions of shards that came, and stops with those that left. */
  readonly refresh: Effect.Effect<void, unknown>
}

export const makeHeldPartitions = (topic: string, shards: ResultShards): HeldPartitions => {
  const readings = new Map<number, Reading>()
  let member: { readonly consumer: Consumer; readonly partitions: ReadonlyArray<number> } | null = null

  const only = (partitions: Iterable<number>) => [{ topic, partitions: [...partitions] }]

  /** A consumer that has ended takes no commands; its successor joins with the readings as they are then. */
  const command = (give: (consumer: Consumer) => void): Effect.Effect<void> =>
    Effect.ignore(Effect.try(() => {
      if (member !== null) give(member.consumer)
    }))

  const seek = (consumer: Consumer, { next, partition }: Reading): void => {
    if (next !== null) consumer.seek({ topic, partition, offset: next })
  }

  const drop = (lost: Iterable<Reading>) =>
    Effect.suspend(() => {
      const current = [...lost].filter((reading) => readings.get(reading.partition) === reading)
      for (const { partition } of current) readings.delete(partition)
      return current.length === 0
        ? Effect.void
        : command((consumer) => consumer.pause(only(current.map(({ partition }) => partition))))
    })

  const claim = Effect.fnUntraced(function*(partitions: ReadonlyArray<number>) {
    const offsets = yield* shards.claim(topic, partitions)
    const claimed = partitions.map((partition): Reading => ({ partition, next: offsets.get(partition) ?? null }))
    for (const reading of claimed) readings.set(reading.partition, reading)
    yield* command((consumer) => {
      for (const reading of claimed) seek(consumer, reading)
      consumer.resume(only(partitions))
    })
  })

  const refresh = Effect.suspend(() => {
    const held = shards.held()
    const isWanted = (partition: number) => held.has(partition % shardCount)
    const lost = [...readings.values()].filter(({ partition }) => !isWanted(partition))
    const gained = (member?.partitions ?? []).filter((partition) => isWanted(partition) && !readings.has(partition))
    return Effect.zipRight(drop(lost), gained.length === 0 ? Effect.void : claim(gained))
  })

  return {
    joined: (partitions, consumer) => {
      member = { consumer, partitions }
      consumer.pause(only(partitions))
      for (const reading of readings.values()) seek(consumer, reading)
      consumer.resume(only(readings.keys()))
    },
    of: (partition) => readings.get(partition),
    isCurrent: (reading) => readings.get(reading.partition) === reading,
    drop,
    refresh
  }
}
