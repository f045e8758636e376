/** The two sizes of the cluster: one runner inside the process, or runners over sockets with shards locked in PostgreSQL. */
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner
} from "@effect/cluster"
import { NodeClusterSocket } from "@effect/platform-node"
import type * as SocketServer from "@effect/platform/SocketServer"
import { RpcSerialization } from "@effect/rpc"
import { SqlClient } from "@effect/sql"
import { Duration, Layer, Option } from "effect"
import { type ClusterPace, defaultClusterPace } from "../src/domain/ClusterPace.ts"
import { shardCount } from "../src/domain/Shard.ts"
import { withMinimalContext } from "./MinimalContext.ts"
import { shardLocks } from "./ShardLocks.ts"

const config = (
  runnerAddress: Option.Option<RunnerAddress.RunnerAddress>,
  { pingSec, runnersSec, shardLockSec }: ClusterPace = defaultClusterPace
) =>
  ShardingConfig.layer({
    runnerAddress,
    shardsPerGroup: shardCount,
    // Most monitors are checked at least every ten minutes; activating an actor costs more than keeping it.
    entityMaxIdleTime: "15 minutes",
    entityTerminationTimeout: "5 seconds",
    sendRetryInterval: "50 millis",
    shardLockExpiration: Duration.seconds(shardLockSec),
    // A runner that hangs keeps its connection and would keep an advisory lock. Row locks expire; if such a runner wakes up,
    // the version of each actor's row rejects its writes.
    shardLockDisableAdvisory: true,
    // Each is a statement of every process: three refreshes within the expiration are enough.
    shardLockRefreshInterval: Duration.seconds(shardLockSec * 0.3),
    refreshAssignmentsInterval: Duration.seconds(runnersSec),
    runnerHealthCheckInterval: Duration.seconds(pingSec),
    simulateRemoteSerialization: false
  })

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

/** A runner among others; `host` must be the address at which they reach it. */
export const layerRunner = (
  host: string,
  port: number,
  pace: ClusterPace = defaultClusterPace
): Layer.Layer<Cluster, SocketServer.SocketServerError, SqlClient.SqlClient> =>
  withMinimalContext(
    SocketRunner.layer.pipe(
      Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc))),
      Layer.provide([NodeClusterSocket.layerSocketServer, NodeClusterSocket.layerClientProtocol]),
      Layer.provide(network),
      Layer.provideMerge(shardLocks),
      Layer.provide(config(Option.some(RunnerAddress.make(host, port)), pace))
    ),
    [SqlClient.SqlClient]
  )

/** Sends messages to actors and hosts none. */
export const layerClient = (pace: ClusterPace): Layer.Layer<Cluster, never, SqlClient.SqlClient> =>
  withMinimalContext(
    SocketRunner.layerClientOnly.pipe(
      Layer.provide(NodeClusterSocket.layerClientProtocol),
      Layer.provide(network),
      Layer.provideMerge(shardLocks),
      Layer.provide(config(Option.none(), pace))
    ),
    [SqlClient.SqlClient]
  )
