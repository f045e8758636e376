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
import { lean } from "./LeanContext.ts"

const shared = {
  shardsPerGroup: 64,
  // Checks come at most every ten minutes for the most part; waking an actor costs more than keeping it.
  entityMaxIdleTime: "15 minutes",
  entityTerminationTimeout: "5 seconds",
  sendRetryInterval: "50 millis",
  // A runner that was killed, or hangs, gives its shards away after this.
  shardLockExpiration: "10 seconds",
  // A lock that a connection holds would stay with a runner that hangs: its connection lives on. Rows run out, and what
  // such a runner does when it wakes up is caught by the version of each actor's row.
  shardLockDisableAdvisory: true,
  shardLockRefreshInterval: "2 seconds",
  refreshAssignmentsInterval: "1 second",
  runnerHealthCheckInterval: "5 seconds",
  simulateRemoteSerialization: false
} as const

const config = (runnerAddress: Option.Option<RunnerAddress.RunnerAddress>) => ShardingConfig.layer({ ...shared, runnerAddress })

/** Asking actors, and seeing which runners there are. */
type Cluster = Sharding.Sharding | RunnerStorage.RunnerStorage

/** Everything on one runner in this process: nothing to lock, nothing to serialise. */
export const layerSingle: Layer.Layer<Cluster> = lean(
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
 * Made first by a storage that is thrown away: processes that start together may make its tables at the same time, and
 * PostgreSQL lets only one of them.
 */
const shardLocks = Layer.orDie(Layer.unwrapEffect(
  Effect.scoped(Layer.build(SqlRunnerStorage.layer)).pipe(
    Effect.retry({ times: 5, schedule: Schedule.spaced("200 millis") }),
    Effect.as(SqlRunnerStorage.layer)
  )
))

/** A runner among others; `host` must be the address by which they reach it. */
export const layerRunner = (
  host: string,
  port: number
): Layer.Layer<Cluster, SocketServer.SocketServerError, SqlClient.SqlClient> =>
  lean(
    SocketRunner.layer.pipe(
      Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc))),
      Layer.provide([NodeClusterSocket.layerSocketServer, NodeClusterSocket.layerClientProtocol]),
      Layer.provide(network),
      Layer.provideMerge(shardLocks),
      Layer.provide(config(Option.some(RunnerAddress.make(host, port))))
    ),
    [SqlClient.SqlClient]
  )

/** Asks the actors, hosts none. */
export const layerClient: Layer.Layer<Cluster, never, SqlClient.SqlClient> = lean(
  SocketRunner.layerClientOnly.pipe(
    Layer.provide(NodeClusterSocket.layerClientProtocol),
    Layer.provide(network),
    Layer.provideMerge(shardLocks),
    Layer.provide(config(Option.none()))
  ),
  [SqlClient.SqlClient]
)

/** Fails while no runner is there to hold the actors; for readiness. */
export const pingCluster = Effect.flatMap(RunnerStorage.RunnerStorage, (storage) => storage.getRunners).pipe(
  Effect.filterOrFail(
    (runners) => runners.some(([, healthy]) => healthy),
    () => "No healthy runner"
  )
)
