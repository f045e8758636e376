/** The memories of the monitors on this runner. They outlive the actors, of which most checks need none. */
import { Effect } from "effect"
import { isProbed } from "../../src/domain/monitor/kinds.ts"
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

    return {
      take,
      /** By the monitor's id alone, which is compared faster than an entity id is built. Undefined on other runners. */
      find: (workspaceId: string, monitorId: string): MonitorMemory | undefined => {
        const memory = memories.get(monitorId)
        return memory?.workspaceId === workspaceId && shards.isHere(memory.shard) ? memory : undefined
      },
      /** The actor has ended: only a memory that checks need stays. */
      leave: (memory: MonitorMemory): void => {
        if (!expectsChecks(memory) && memories.get(memory.monitorId) === memory) memories.delete(memory.monitorId)
      }
    }
  })
}) {}
