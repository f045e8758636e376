/** The two sizes of the cluster: one runner inside the process, or runners over sockets with shards locked in PostgreSQL. */
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner,
  SqlRunnerStorage
} from "@effect/cluster"
import { NodeClusterSocket } from "@effect/platform-node"
import type * as SocketServer from "@effect/platform/SocketServer"
import { RpcSerialization } from "@effect/rpc"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schedule } from "effect"
import { shardCount } from "../src/domain/Shard.ts"
import { withMinimalContext } from "./MinimalContext.ts"

const shared = {
  shardsPerGroup: shardCount,
  // Most monitors are checked at least every ten minutes; activating an actor costs more than keeping it.
  entityMaxIdleTime: "15 minutes",
  entityTerminationTimeout: "5 seconds",
  sendRetryInterval: "50 millis",
  // A runner that was killed or hangs loses its shards after this.
  shardLockExpiration: "10 seconds",
  // A runner that hangs keeps its connection and would keep an advisory lock. Row locks expire; if such a runner wakes up,
  // the version of each actor's row rejects its writes.
  shardLockDisableAdvisory: true,
  shardLockRefreshInterval: "2 seconds",
  refreshAssignmentsInterval: "1 second",
  runnerHealthCheckInterval: "5 seconds",
  simulateRemoteSerialization: false
} as const

const config = (runnerAddress: Option.Option<RunnerAddress.RunnerAddress>) => ShardingConfig.layer({ ...shared, runnerAddress })

/** Sends messages to actors and lists the runners. */
type Cluster = Sharding.Sharding | RunnerStorage.RunnerStorage

/** One runner in this process: nothing to lock, nothing to serialise. */
export const layerSingle: Layer.Layer<Cluster> = withMinimalContext(
  Sharding.layer.pipe(
    Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop]),
    Layer.provide(MessageStorage.layerMemory),
    Layer.provideMerge(RunnerStorage.layerMemory),
    Layer.provide(config(Option.some(RunnerAddress.make("localhost", 0))))
  ),
  []
)

const network = [RpcSerialization.layerMsgPack, MessageStorage.layerMemory] as const

/**
 * Builds a throwaway storage first: processes that start together may create its tables at the same time, and PostgreSQL
 * fails all but one of them.
 */
const shardLocks = Layer.orDie(Layer.unwrapEffect(
  Effect.scoped(Layer.build(SqlRunnerStorage.layer)).pipe(
    Effect.retry({ times: 5, schedule: Schedule.spaced("200 millis") }),
    Effect.as(SqlRunnerStorage.layer)
  )
))

/** A runner among others; `host` must be the address at which they reach it. */
export const layerRunner = (
  host: string,
  port: number
): Layer.Layer<Cluster, SocketServer.SocketServerError, SqlClient.SqlClient> =>
  withMinimalContext(
    SocketRunner.layer.pipe(
      Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc))),
      Layer.provide([NodeClusterSocket.layerSocketServer, NodeClusterSocket.layerClientProtocol]),
      Layer.provide(network),
      Layer.provideMerge(shardLocks),
      Layer.provide(config(Option.some(RunnerAddress.make(host, port))))
    ),
    [SqlClient.SqlClient]
  )

/** Sends messages to actors and hosts none. */
export const layerClient: Layer.Layer<Cluster, never, SqlClient.SqlClient> = withMinimalContext(
  SocketRunner.layerClientOnly.pipe(
    Layer.provide(NodeClusterSocket.layerClientProtocol),
    Layer.provide(network),
    Layer.provideMerge(shardLocks),
    Layer.provide(config(Option.none()))
  ),
  [SqlClient.SqlClient]
)

/** Fails while no runner is healthy; for readiness. */
export const pingCluster = Effect.flatMap(RunnerStorage.RunnerStorage, (storage) => storage.getRunners).pipe(
  Effect.filterOrFail(
    (runners) => runners.some(([, healthy]) => healthy),
    () => "No healthy runner"
  )
)
