/** The shard locks of the cluster as rows; a runner refreshes its locks and its sign of life with one statement. */
import { ClusterError, RunnerStorage, ShardId, ShardingConfig, SqlRunnerStorage } from "@effect/cluster"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schedule } from "effect"

/** Each runner does it every few seconds, and two statements would cost twice as much. */
const makeRefresh = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { shardLockRefreshInterval } = yield* ShardingConfig.ShardingConfig
  const refresh: RunnerStorage.RunnerStorage["Type"]["refresh"] = (address, shardIds) => {
    const holder = `${address.host}:${address.port}`
    return sql<{ readonly shard: string }>`
      with alive as (update cluster_runners set last_heartbeat = now() where address = ${holder})
      update cluster_locks set acquired_at = now()
      where address = ${holder} and shard_id = any(${Array.from(shardIds, (id) => id.toString())}::text[])
      returning shard_id as shard`.pipe(
      Effect.map((rows) => rows.map(({ shard }) => ShardId.ShardId.fromString(shard))),
      Effect.timeout(shardLockRefreshInterval),
      ClusterError.PersistenceError.refail
    )
  }
  return refresh
})

/**
 * Builds a throwaway storage first: processes that start together may create its tables at the same time, and PostgreSQL
 * fails all but one of them.
 */
const rows = Layer.orDie(Layer.unwrapEffect(
  Effect.scoped(Layer.build(SqlRunnerStorage.layer)).pipe(
    Effect.retry({ times: 5, schedule: Schedule.spaced("200 millis") }),
    Effect.as(SqlRunnerStorage.layer)
  )
))

export const shardLocks = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.zipWith(
    RunnerStorage.RunnerStorage,
    makeRefresh,
    (storage, refresh) => RunnerStorage.RunnerStorage.of({ ...storage, refresh })
  )
).pipe(Layer.provide(rows))
