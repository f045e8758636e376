/** The two sizes of the cluster: one runner inside the process, or runners over sockets with shards locked in PostgreSQL. */
import {
  ClusterError,
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SocketRunner
} from "@effect/cluster"
import type * as SocketServer from "@effect/platform/SocketServer"
import { RpcSerialization } from "@effect/rpc"
import { Duration, Effect, Layer, Option } from "effect"
import { type ClusterPace, defaultClusterPace } from "../src/domain/health/ClusterPace.ts"
import { shardCount } from "../src/domain/tools/Shard.ts"
import { Database } from "../src/store/postgres/connections/Database.ts"
import { makeRunnerRows } from "../src/store/RunnerRows.ts"
import type { ClusterIdentity } from "./ClusterIdentity.ts"
import { withMinimalContext } from "./MinimalContext.ts"
import { ShardHandovers } from "./ShardHandovers.ts"
import * as TlsSockets from "./TlsSockets.ts"

const config = (
  runnerAddress: Option.Option<RunnerAddress.RunnerAddress>,
  { pingSec, runnersSec, shardLockSec }: ClusterPace = defaultClusterPace,
  runnerListenAddress = runnerAddress
) =>
  ShardingConfig.layer({
    runnerAddress,
    runnerListenAddress,
    shardsPerGroup: shardCount,
    // Most monitors are checked at least every ten minutes; activating an actor costs more than keeping it.
    entityMaxIdleTime: "15 minutes",
    entityTerminationTimeout: "5 seconds",
    sendRetryInterval: "50 millis",
    shardLockExpiration: Duration.seconds(shardLockSec),
    // Each is a statement of every process: three refreshes within the expiration are enough.
    shardLockRefreshInterval: Duration.seconds(shardLockSec * 0.3),
    refreshAssignmentsInterval: Duration.seconds(runnersSec),
    // How soon a runner that stood still takes shards again, once it has given up those that others took meanwhile.
    entityMessagePollInterval: Duration.seconds(runnersSec),
    runnerHealthCheckInterval: Duration.seconds(pingSec),
    simulateRemoteSerialization: false
  })

type Cluster = Sharding.Sharding | RunnerStorage.RunnerStorage | ShardingConfig.ShardingConfig

/** No runner joins or leaves, and no lock expires, so looking is rare. */
const alone: ClusterPace = { shardLockSec: 300, runnersSec: 60, pingSec: 300 }

/** One runner in this process: nothing to lock, nothing to serialise. */
export const layerSingle: Layer.Layer<Cluster> = withMinimalContext(
  Sharding.layer.pipe(
    Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop]),
    Layer.provide(MessageStorage.layerMemory),
    Layer.provideMerge(RunnerStorage.layerMemory),
    Layer.provideMerge(config(Option.some(RunnerAddress.make("localhost", 0)), alone))
  ),
  []
)

/** The part of a refresh interval that a statement may take: after a frozen connection, another can still be tried in time. */
const answerPart = 2 / 3

const { refail } = ClusterError.PersistenceError

/** The runners and the shard locks as rows: a runner that hangs or is cut off loses its locks when they expire. */
const shardLocks: Layer.Layer<RunnerStorage.RunnerStorage, never, Database | ShardingConfig.ShardingConfig> = Layer.scoped(
  RunnerStorage.RunnerStorage,
  Effect.gen(function*() {
    const { shardLockExpiration, shardLockRefreshInterval } = yield* ShardingConfig.ShardingConfig
    const { handedOver } = yield* ShardHandovers
    const rows = yield* makeRunnerRows({
      answer: Duration.times(shardLockRefreshInterval, answerPart),
      expiry: Duration.decode(shardLockExpiration)
    })
    return RunnerStorage.makeEncoded({
      getRunners: refail(Effect.map(rows.alive, (all) => all.map(({ healthy, runner }) => [runner, healthy] as const))),
      register: (...runner) => refail(rows.register(...runner)),
      unregister: (address) => refail(Effect.asVoid(rows.unregister(address))),
      setRunnerHealth: (address, isHealthy) => refail(Effect.asVoid(rows.setHealth(address, isHealthy))),
      acquire: (address, shards) =>
        Effect.tap(refail(rows.lock(address, shards)), (locked) => Effect.sync(() => handedOver(locked))),
      refresh: (address, shards) => refail(rows.refresh(address, shards)),
      release: (address, shard) => {
        handedOver([shard])
        return refail(Effect.asVoid(rows.release(address, shard)))
      },
      releaseAll: (address) => refail(Effect.asVoid(rows.releaseAll(address)))
    })
  })
)

const network = [RpcSerialization.layerMsgPack, MessageStorage.layerMemory] as const

/** A runner among others; `host` and `port` must be the address at which they reach it. */
export const layerRunner = (
  identity: Layer.Layer<ClusterIdentity>,
  host: string,
  port: number,
  pace: ClusterPace = defaultClusterPace,
  listenPort = port
): Layer.Layer<Cluster, SocketServer.SocketServerError, Database> =>
  withMinimalContext(
    SocketRunner.layer.pipe(
      Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc))),
      Layer.provide([TlsSockets.layerSocketServer, TlsSockets.layerClientProtocol]),
      Layer.provide(identity),
      Layer.provide(network),
      Layer.provideMerge(shardLocks),
      Layer.provideMerge(
        config(Option.some(RunnerAddress.make(host, port)), pace, Option.some(RunnerAddress.make(host, listenPort)))
      )
    ),
    [Database]
  )

/** Sends messages to actors and hosts none. */
export const layerClient = (identity: Layer.Layer<ClusterIdentity>, pace: ClusterPace): Layer.Layer<Cluster, never, Database> =>
  withMinimalContext(
    SocketRunner.layerClientOnly.pipe(
      Layer.provide(TlsSockets.layerClientProtocol),
      Layer.provide(identity),
      Layer.provide(network),
      Layer.provideMerge(shardLocks),
      Layer.provideMerge(config(Option.none(), pace))
    ),
    [Database]
  )
