/** The shard of an actor: the unit in which actors and check results are spread over the runners. */

/** At most this many runners share the work. Changing it moves actors and the results that wait for them apart. */
export const shardCount = 64

/** The cluster's own hash (its `getShardId`): probes have no cluster, but their results must go where the actor lives. */
const hash = (text: string): number => {
  let value = 5381
  for (let at = text.length - 1; at >= 0; at--) value = (value * 33) ^ text.charCodeAt(at)
  return (value & 0xbfffffff) | ((value >>> 1) & 0x40000000)
}

/** The shard of an entity id, from 0; the cluster counts its shards from 1. */
export const shardOf = (entityId: string): number => Math.abs(hash(entityId) % shardCount)
