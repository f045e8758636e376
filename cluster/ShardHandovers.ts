/** Notifies parts of this process when it takes a shard or gives it up: their knowledge of its actors may be stale then. */
import { Context } from "effect"

type Forget = (shards: ReadonlySet<number>) => void

const makeHandovers = () => {
  const listeners = new Set<Forget>()
  return {
    /** Returns the function that ends it. */
    onHandover: (forget: Forget) => {
      listeners.add(forget)
      return (): void => void listeners.delete(forget)
    },
    /** `shards` as the cluster writes them, `<group>:<number>` from 1. */
    handedOver: (shards: ReadonlyArray<string>): void => {
      if (shards.length === 0) return
      const numbers = new Set(shards.map((shard) => Number(shard.slice(shard.lastIndexOf(":") + 1)) - 1))
      for (const forget of listeners) forget(numbers)
    }
  }
}

/** One per process: shards that another runner of the same process takes are known here no longer, either. */
export class ShardHandovers extends Context.Reference<ShardHandovers>()("belltower/ShardHandovers", {
  defaultValue: makeHandovers
}) {}
