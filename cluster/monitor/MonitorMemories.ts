/** The memories of the monitors on this runner. They outlive the actors, of which most checks need none. */
import { Effect } from "effect"
import { isProbed } from "../../src/domain/monitor/kinds.ts"
import { shardOf } from "../../src/domain/tools/Shard.ts"
import { makeHeldShards } from "../HeldShards.ts"
import { ShardHandovers } from "../ShardHandovers.ts"
import { makeMonitorMemory, type MonitorMemory } from "./MonitorMemory.ts"
import { entityKey } from "./MonitorProtocol.ts"

/** Whether checks of the monitor will come, which need its memory and no actor. */
const expectsChecks = ({ monitor }: MonitorMemory): boolean => monitor !== null && !monitor.paused && isProbed(monitor.target)

export class MonitorMemories extends Effect.Service<MonitorMemories>()("belltower/MonitorMemories", {
  scoped: Effect.gen(function*() {
    const shards = yield* makeHeldShards
    const { onHandover } = yield* ShardHandovers
    const memories = new Map<string, MonitorMemory>()

    /** Another runner may have written the rows of these shards, or will. */
    const forget = (lost: ReadonlySet<number>): void => {
      for (const [id, { shard }] of memories) if (lost.has(shard)) memories.delete(id)
    }
    yield* Effect.acquireRelease(Effect.sync(() => onHandover(forget)), (end) => Effect.sync(end))

    /** The memory of a monitor, for its actor or for what loads it. */
    const take = (entityId: string): MonitorMemory => {
      const { id } = entityKey(entityId)
      const known = memories.get(id)
      if (known?.entityId === entityId) return known
      const memory = makeMonitorMemory(entityId)
      memories.set(id, memory)
      return memory
    }

    /** Keeps a memory only if its actor, or checks, need it. */
    const settle = (memory: MonitorMemory): void => {
      const isNeeded = memory.actors > 0 || expectsChecks(memory)
      if (!isNeeded && memories.get(memory.monitorId) === memory) memories.delete(memory.monitorId)
    }

    return {
      take,
      settle,
      /** True if this runner holds the monitor's shard. */
      isHere: (entityId: string): boolean => shards.isHere(shardOf(entityId)),
      /** By the monitor's id alone, which is compared faster than an entity id is built. Undefined on other runners. */
      find: (workspaceId: string, monitorId: string): MonitorMemory | undefined => {
        const memory = memories.get(monitorId)
        return memory?.workspaceId === workspaceId && shards.isHere(memory.shard) ? memory : undefined
      },
      /** The memory of an actor, until its scope closes. */
      forActor: (entityId: string) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const memory = take(entityId)
            memory.actors++
            return memory
          }),
          (memory) =>
            Effect.sync(() => {
              memory.actors--
              settle(memory)
            })
        )
    }
  })
}) {}
