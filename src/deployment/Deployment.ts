/** Composes the layers of a process according to its role. */
import { Context, Effect, Layer } from "effect"
import * as Runner from "../../cluster/Runner.ts"
import { RunnerWatchdog } from "../../cluster/RunnerWatchdog.ts"
import { BusKeys } from "../bus/BusKeys.ts"
import { KafkaBus } from "../bus/kafka/KafkaBus.ts"
import { LocalBus } from "../bus/LocalBus.ts"
import { ProcessRole } from "../http/server/MetricRoles.ts"
import { ChatBots } from "../notify/chat/ChatBots.ts"
import { DirectMail } from "../notify/mail/DirectMail.ts"
import { MailServer } from "../notify/mail/MailServer.ts"
import { Phones } from "../notify/way/Phones.ts"
import { PushKeys } from "../notify/way/PushKeys.ts"
import { RegionHealth } from "../services/check/RegionHealth.ts"
import { MonitorAnnouncer } from "../services/monitor/MonitorAnnouncer.ts"
import { ProbeRegistry } from "../services/probe/ProbeRegistry.ts"
import { CheckPartitions } from "../store/check/CheckPartitions.ts"
import { InstallationKeys } from "../store/InstallationKeys.ts"
import { KeyedHashes } from "../store/KeyedHashes.ts"
import { LinkKeys } from "../store/LinkKeys.ts"
import type * as Database from "../store/postgres/connections/Database.ts"
import { DatabaseClock } from "../store/postgres/DatabaseClock.ts"
import * as Migrations from "../store/postgres/Migrations.ts"
import { RunnerAddressClaim, type RunnerEndpoint } from "../store/postgres/RunnerAddressClaim.ts"
import * as SharedClock from "../store/postgres/SharedClock.ts"
import { Wakeups } from "../store/postgres/Wakeups.ts"
import { Probes } from "../store/probe/Probes.ts"
import { checkSecret } from "../store/SecretCheck.ts"
import * as Store from "../store/Store.ts"
import type { DeploymentSecrets } from "../store/Vault.ts"
import { clusterOf, watchdogOf } from "./DeploymentCluster.ts"
import { runnerHealth } from "./DeploymentHealth.ts"
import { secretOrigin } from "./DeploymentSecrets.ts"
import { type Deployment, drainSecOf, healthOf, probeOf } from "./ProbeDeployment.ts"
import { processServices } from "./ProcessServices.ts"
import { runnerAddressOf } from "./RunnerAddressOf.ts"
import { runUntil } from "./RunUntil.ts"
import { serversProbeIdentity } from "./ServersProbeIdentity.ts"

/** A process with a database has its secrets, too. */
interface ServerDeployment extends Deployment {
  readonly secrets: DeploymentSecrets
}

/** The servers know the probes, and one that runs checks itself is a probe, too. */
const serversKeys = ({ role, settings }: Deployment) =>
  Layer.scoped(
    BusKeys,
    Effect.gen(function*() {
      const { servers } = yield* ProbeRegistry
      if (role !== "all") return { servers, probe: null }
      const { ended, keys } = yield* serversProbeIdentity(settings)
      // The servers refuse its results, so its region needs other probes.
      yield* Effect.forkScoped(Effect.catchAll(ended, ({ message }) => Effect.logError(message)))
      return { servers, probe: keys }
    })
  ).pipe(Layer.provide([ProbeRegistry.Default, Probes.Default, InstallationKeys.Default]), Layer.provide(Wakeups.Default))

const busOf = (deployment: Deployment) =>
  deployment.settings.kafka.brokers.length === 0
    ? LocalBus.layer
    : KafkaBus.layer(deployment.settings.kafka).pipe(Layer.provide(serversKeys(deployment)))

/** A part of the program of its own: more than half of the code, of which a runner needs nothing. */
const loadedInterface = (deployment: Deployment) =>
  Layer.unwrapEffect(Effect.promise(() => import("./Interface.ts").then(({ interfaceOf }) => interfaceOf(deployment))))

/** The layers of a process with a database, by role. They close in reverse order. */
const partsOf = (deployment: Deployment, address: RunnerEndpoint) => {
  switch (deployment.role) {
    case "all":
      return Layer.mergeAll(loadedInterface(deployment), probeOf(deployment)).pipe(Layer.provideMerge(Runner.layer))
    case "api":
      return loadedInterface(deployment)
    case "runner":
      return Layer.unwrapScoped(Effect.map(runnerHealth(address), (health) => healthOf(deployment, health))).pipe(
        Layer.provideMerge(Runner.layer)
      )
    case "probe":
      return Layer.empty
  }
}

/** The database has the schema of this version and the secret of this process before anything uses it. */
const fitDatabase = ({ settings }: Deployment) =>
  Layer.effectDiscard(Effect.gen(function*() {
    yield* (settings.migrates ? Migrations.migrate : Migrations.verify)
    yield* checkSecret(secretOrigin(settings))
  }))

/** The services that sign and find by random keys of the installation, which the first process makes. */
const installation = Layer.merge(LinkKeys.layer, KeyedHashes.layer).pipe(Layer.provideMerge(InstallationKeys.Default))

/** Runs any role except `probe`, which has no database. */
export const runOn = (deployment: ServerDeployment, database: ReturnType<typeof Database.layer>) =>
  Effect.flatMap(runnerAddressOf(deployment), (address) =>
    runUntil(
      drainSecOf(deployment),
      Layer.provideMerge(watchdogOf(deployment), partsOf(deployment, address)).pipe(
        Layer.provide(RegionHealth.layer),
        Layer.provide(Layer.mergeAll(DirectMail.layer, ChatBots.layer, PushKeys.layer, Phones.layer(deployment.settings.phone))),
        Layer.provide(MailServer.layer),
        Layer.provide(MonitorAnnouncer.Default),
        Layer.provide(Store.layer),
        Layer.provideMerge(
          Layer.effectDiscard(Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())).pipe(
            Layer.provide(CheckPartitions.Default),
            Layer.provideMerge(Layer.mergeAll(busOf(deployment), clusterOf(deployment, address)))
          )
        ),
        Layer.provide(Layer.provide(SharedClock.layer, DatabaseClock.Default)),
        Layer.provide(installation),
        Layer.provide(fitDatabase(deployment)),
        Layer.provide(Layer.mergeAll(processServices(deployment), Layer.succeed(ProcessRole, deployment.role), database))
      ),
      (context) => Effect.raceFirst(Context.get(context, RunnerWatchdog).gaveUp, Context.get(context, RunnerAddressClaim).lost)
    ))
