import { EntityId, Sharding } from "@effect/cluster"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { layerSingle } from "../../../cluster/Cluster.ts"
import { entityId } from "../../../cluster/monitor/MonitorProtocol.ts"
import { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { monitorShard } from "../../../src/domain/monitor/MonitorShard.ts"
import { shardOf } from "../../../src/domain/tools/Shard.ts"

layer(layerSingle)("the shard of an entity", (it) => {
  it.effect("is the one in which the cluster places its actor", () =>
    Effect.map(Sharding.Sharding, (sharding) => {
      const clusterShard = (id: string) => sharding.getShardId(EntityId.make(id), "default").id - 1
      fc.assert(fc.property(fc.string(), (id) => {
        expect(shardOf(id)).toBe(clusterShard(id))
      }))
      fc.assert(fc.property(fc.uuid(), fc.uuid(), (one, other) => {
        const key = { workspaceId: WorkspaceId.make(`ws_${one}`), monitorId: MonitorId.make(`mon_${other}`) }
        expect(monitorShard(key)).toBe(clusterShard(entityId(key.workspaceId, key.monitorId)))
      }))
    }))
})
