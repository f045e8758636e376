/** The partitions of results that this process reads: those of the shards it holds, each from its kept offset. */
import { Effect } from "effect"
import { shardCount } from "../domain/tools/Shard.ts"
import type { ResultShards } from "./Bus.ts"
import type { Reading } from "./kafka/KafkaReader.ts"

export const makeHeldPartitions = (topic: string, shards: ResultShards) => {
  const readings = new Map<number, Reading>()
  let partitions: ReadonlyArray<number> = []

  const isCurrent = (reading: Reading): boolean => readings.get(reading.partition) === reading

  /** Stops reading; if the shard is still held, `refresh` claims the partition again and reads from its kept offset. */
  const drop = (lost: Iterable<Reading>): void => {
    for (const reading of lost) if (isCurrent(reading)) readings.delete(reading.partition)
  }

  const claim = (gained: ReadonlyArray<number>) =>
    Effect.map(shards.claim(topic, gained), (offsets) => {
      for (const partition of gained) readings.set(partition, { partition, next: offsets.get(partition) ?? null })
    })

  /** Begins to read the partitions of shards that came, and stops with those that left. */
  const refresh = Effect.suspend(() => {
    const held = shards.held()
    const isWanted = (partition: number) => held.has(partition % shardCount)
    drop([...readings.values()].filter(({ partition }) => !isWanted(partition)))
    const gained = partitions.filter((partition) => isWanted(partition) && !readings.has(partition))
    return gained.length === 0 ? Effect.void : claim(gained)
  })

  return {
    known: (all: ReadonlyArray<number>): void => {
      partitions = all
    },
    readings: () => readings.values(),
    isCurrent,
    drop,
    refresh
  }
}
export type HeldPartitions = ReturnType<typeof makeHeldPartitions>
