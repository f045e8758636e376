/** The runners and the shard locks of the cluster as rows: a runner that hangs or is cut off loses its locks when they expire. */
import { ClusterError, RunnerStorage, ShardingConfig } from "@effect/cluster"
import { Duration, Effect, Layer } from "effect"
import type { Database } from "../src/store/postgres/Database.ts"
import { makeRunnerRows } from "../src/store/RunnerRows.ts"

/** The part of a refresh interval that a statement may take: after a frozen connection, another can still be tried in time. */
const answerPart = 2 / 3

const { refail } = ClusterError.PersistenceError

export const shardLocks: Layer.Layer<RunnerStorage.RunnerStorage, never, Database | ShardingConfig.ShardingConfig> = Layer.scoped(
  RunnerStorage.RunnerStorage,
  Effect.gen(function*() {
    const { shardLockExpiration, shardLockRefreshInterval } = yield* ShardingConfig.ShardingConfig
    const rows = yield* makeRunnerRows({
      answer: Duration.times(shardLockRefreshInterval, answerPart),
      expiry: Duration.decode(shardLockExpiration)
    })
    return RunnerStorage.makeEncoded({
      getRunners: refail(Effect.map(rows.alive, (all) => all.map(({ healthy, runner }) => [runner, healthy] as const))),
      register: (...runner) => refail(rows.register(...runner)),
      unregister: (address) => refail(Effect.asVoid(rows.unregister(address))),
      setRunnerHealth: (address, isHealthy) => refail(Effect.asVoid(rows.setHealth(address, isHealthy))),
      acquire: (address, shards) => refail(rows.lock(address, shards)),
      refresh: (address, shards) => refail(rows.refresh(address, shards)),
      release: (address, shard) => refail(Effect.asVoid(rows.release(address, shard))),
      releaseAll: (address) => refail(Effect.asVoid(rows.releaseAll(address)))
    })
  })
)
