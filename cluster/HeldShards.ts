/** The shards that this runner holds now: actors of all others live on other runners. */
import { ShardId, Sharding } from "@effect/cluster"
import { Effect } from "effect"
import { shardCount, shardOf } from "../src/domain/tools/Shard.ts"

/** All entities are in the cluster's usual group. */
const ids = Array.from({ length: shardCount }, (_, shard) => ShardId.make("default", shard + 1))

export const makeHeldShards = Effect.map(Sharding.Sharding, (sharding) => {
  const isHeld = (id: ShardId.ShardId | undefined): boolean => id !== undefined && sharding.hasShardId(id)
  return {
    /** The numbers of the held shards, from 0. */
    all: (): ReadonlySet<number> => new Set(ids.flatMap((id, shard) => isHeld(id) ? [shard] : [])),
    /** The part of all shards that is held, from 0 to 1. A shard has one holder, so those of all runners never exceed 1. */
    part: (): number => ids.filter(isHeld).length / shardCount,
    /** True if this runner holds a shard, numbered from 0. */
    isHere: (shard: number): boolean => isHeld(ids[shard]),
    /** True if another runner hosts the actor of an entity. A runner without any shard does not know. */
    isElsewhere: (entityId: string): boolean => !isHeld(ids[shardOf(entityId)]) && ids.some(isHeld)
  }
})
export type HeldShards = Effect.Effect.Success<typeof makeHeldShards>
