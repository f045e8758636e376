/** A process as a member of the cluster: its address, how it proves that it belongs to it, and who watches over it. */
import { Effect, Layer, Option } from "effect"
import * as Cluster from "../../cluster/Cluster.ts"
import { ClusterIdentity } from "../../cluster/ClusterIdentity.ts"
import { RunnerWatchdog } from "../../cluster/RunnerWatchdog.ts"
import type { Role, Settings } from "../settings/Settings.ts"
import { clusterKeyName, InstallationKeys } from "../store/InstallationKeys.ts"
import { RunnerAddressClaim, type RunnerEndpoint } from "../store/postgres/RunnerAddressClaim.ts"

interface Member {
  readonly role: Role
  readonly settings: Settings
}

/** By certificates of the operator's authority, or by a key that the processes read in the database. */
const identityOf = ({ settings }: Member) =>
  Layer.unwrapEffect(Option.match(settings.clusterCertificates, {
    onSome: (given) => Effect.succeed(ClusterIdentity.ofCertificates(given)),
    onNone: () => Effect.flatMap(InstallationKeys, ({ key }) => Effect.map(key(clusterKeyName), ClusterIdentity.ofKey))
  }))

export const clusterOf = (deployment: Member, address: RunnerEndpoint) => {
  const { role, settings } = deployment
  if (role !== "api" && settings.kafka.brokers.length === 0) return Layer.merge(Cluster.layerSingle, RunnerAddressClaim.unneeded)
  return Layer.unwrapEffect(Effect.map(ClusterIdentity, (own) => {
    const identity = Layer.succeed(ClusterIdentity, own)
    return role === "api"
      ? Layer.merge(Cluster.layerClient(identity, settings.cluster), RunnerAddressClaim.unneeded)
      : Layer.provideMerge(
        Layer.unwrapEffect(
          Effect.as(RunnerAddressClaim, Cluster.layerRunner(identity, address.host, address.port, settings.cluster))
        ),
        RunnerAddressClaim.layer(address, settings.cluster.shardLockSec)
      )
  })).pipe(Layer.provide(identityOf(deployment)))
}

/** One process has nobody to give its shards to. */
export const watchdogOf = ({ role, settings }: Member) =>
  role !== "api" && settings.kafka.brokers.length > 0
    ? RunnerWatchdog.layer()
    : Layer.succeed(RunnerWatchdog, { gaveUp: Effect.never })
