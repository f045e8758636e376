/** Composes the layers of a process according to its role. */
import { HttpApiBuilder } from "@effect/platform"
import { Context, Deferred, Effect, Layer, Option, type Redacted } from "effect"
import { randomUUID } from "node:crypto"
import * as Cluster from "../cluster/Cluster.ts"
import { ClusterIdentity } from "../cluster/ClusterIdentity.ts"
import * as Runner from "../cluster/Runner.ts"
import { RunnerWatchdog } from "../cluster/RunnerWatchdog.ts"
import { Api } from "../schema/api/Api.ts"
import type { Bus } from "./bus/Bus.ts"
import { KafkaBus } from "./bus/KafkaBus.ts"
import { LocalBus } from "./bus/LocalBus.ts"
import * as OutsideRoutes from "./dashboard/outside/OutsideRoutes.ts"
import { interfaceHealth, probeHealth, runnerHealth } from "./DeploymentHealth.ts"
import { isPublicUrl } from "./domain/access/PublicName.ts"
import * as Billing from "./http/billing/Billing.ts"
import * as CurrentPerson from "./http/guard/CurrentPerson.ts"
import * as Handlers from "./http/Handlers.ts"
import * as MonitorMetrics from "./http/monitor/MetricsRoute.ts"
import * as PingLane from "./http/monitor/PingLane.ts"
import * as PingRoutes from "./http/monitor/PingRoutes.ts"
import { calendarFeeds } from "./http/oncall/OnCall.ts"
import { certificateAsk, PageHosts } from "./http/page/HostRouting.ts"
import * as MemberReader from "./http/page/MemberReader.ts"
import * as PageLane from "./http/page/PageLane.ts"
import type { HealthLooks } from "./http/server/HealthChecks.ts"
import * as HealthServer from "./http/server/HealthServer.ts"
import { MetricsAccess } from "./http/server/MetricsAccess.ts"
import * as Upstreams from "./http/upstream/Upstreams.ts"
import { restartForever } from "./loops/RestartForever.ts"
import { machineAddress } from "./MachineAddress.ts"
import { DirectMail } from "./notify/mail/DirectMail.ts"
import { MailServer } from "./notify/mail/MailServer.ts"
import { PortOpen } from "./operations/monitor/PortOpen.ts"
import * as Operations from "./operations/Operations.ts"
import { CustomDomains } from "./operations/page/CustomDomains.ts"
import { FirstOperator } from "./operations/people/FirstOperator.ts"
import { LiveVisitors } from "./pages/LiveVisitors.ts"
import * as PageRoutes from "./pages/PageRoutes.ts"
import { PageViews } from "./pages/PageViews.ts"
import { Browsers } from "./probe/browser/Browsers.ts"
import { Judging } from "./probe/judging/Judging.ts"
import { Pings } from "./probe/Pings.ts"
import { Rdap } from "./probe/Rdap.ts"
import { Scripts } from "./probe/script/Scripts.ts"
import * as Worker from "./probe/Worker.ts"
import { makeWorkerLife } from "./probe/WorkerLife.ts"
import { processServices } from "./ProcessServices.ts"
import { runUntil, usualDrainSec } from "./RunUntil.ts"
import * as Server from "./Server.ts"
import { RegionHealth } from "./services/check/RegionHealth.ts"
import { MonitorAnnouncer } from "./services/monitor/MonitorAnnouncer.ts"
import { MonitoringHealth } from "./services/monitor/MonitoringHealth.ts"
import type { Role, Settings } from "./Settings.ts"
import { CheckPartitions } from "./store/check/CheckPartitions.ts"
import { MailMode } from "./store/mail/MailMode.ts"
import type * as Database from "./store/postgres/Database.ts"
import { DatabaseClock } from "./store/postgres/DatabaseClock.ts"
import * as Migrations from "./store/postgres/Migrations.ts"
import { RunnerAddressClaim, type RunnerPlace } from "./store/postgres/RunnerAddressClaim.ts"
import * as SharedClock from "./store/postgres/SharedClock.ts"
import { checkSecret } from "./store/SecretCheck.ts"
import { secretFile } from "./store/SecretFile.ts"
import * as Store from "./store/Store.ts"

/** News for the person who starts a process. */
export interface FirstNews {
  /** A one-time link into a server that nobody has used yet. */
  readonly signInPath: string | null
  /** No mail server is set, so mail reaches nobody. */
  readonly capturesMail: boolean
}

/** The settings, and the values derived from them before anything starts. */
export interface Deployment {
  readonly settings: Settings
  readonly role: Role
  readonly secret: Redacted.Redacted
  readonly baseUrl: string
  /** Runs once the process accepts requests. */
  readonly ready: (address: Server.ServerAddress["Type"], news: FirstNews) => Effect.Effect<void>
}

/** A probe waits for the topics that the servers or the operator make. */
const busOf = ({ role, settings: { kafka } }: Deployment): Layer.Layer<Bus> =>
  kafka.brokers.length === 0
    ? LocalBus.layer
    : KafkaBus.layer(role === "probe" ? { ...kafka, createTopics: false } : kafka)

const probeOf = ({ settings }: Deployment, life = makeWorkerLife()) =>
  Layer.scopedDiscard(Effect.suspend(() => {
    const { canaries, checksUplink, probeLimits: limits, region } = settings
    const worker = Worker.run({ region, workerId: randomUUID(), canaries, checksUplink, limits, life })
    return Effect.forkScoped(restartForever("The probe worker", worker))
  })).pipe(Layer.provide(
    Layer.mergeAll(Judging.Default, Pings.Default, Rdap.Default, Layer.provideMerge(Browsers.Default, Scripts.Default))
  ))

const metricsAtInterface = ({ baseUrl, settings }: Deployment) =>
  Layer.succeed(MetricsAccess, {
    token: settings.metricsToken,
    isPublic: isPublicUrl(baseUrl),
    elsewhere: Option.isSome(settings.metricsPort)
  })

/** Access to the metrics at a port for health and metrics only, which is not for strangers. */
const metricsApart = ({ settings }: Deployment) =>
  Layer.succeed(MetricsAccess, { token: settings.metricsToken, isPublic: false, elsewhere: false })

/** Health and metrics at a port of their own, beside the interface. */
const metricsOf = (deployment: Deployment, health: HealthLooks) =>
  Option.match(deployment.settings.metricsPort, {
    onNone: () => Layer.empty,
    onSome: (port) =>
      // Fresh, because the router is shared otherwise, and with it the routes of the interface.
      Layer.discard(Layer.fresh(HealthServer.layer({ host: deployment.settings.host, port, health }))).pipe(
        Layer.provide(metricsApart(deployment))
      )
  })

const pageHosts = Layer.effect(PageHosts, Effect.map(CustomDomains, ({ slugOf }) => slugOf)).pipe(
  Layer.provide(CustomDomains.Default)
)

/** On embedded defaults, the person who starts the server is its operator. At a public address, strangers may read its output. */
const firstSignIn = ({ baseUrl, role, settings }: Deployment) =>
  role === "all" && Option.isNone(settings.databaseUrl) && !isPublicUrl(baseUrl)
    ? Effect.flatMap(
      FirstOperator,
      ({ token }) => Effect.map(token(), (found) => Option.getOrNull(Option.map(found, (one) => `/auth/link/${one}`)))
    )
    : Effect.succeed(null)

/** One cluster runner in the process needs no list of runners. */
const healthOfInterface = ({ settings }: Deployment) => interfaceHealth(settings.cluster, settings.kafka.brokers.length > 0)
const capturesMail = Effect.map(Effect.flatten(MailMode), (mode) => mode === "captured")

const nothingNew: FirstNews = { signInPath: null, capturesMail: false }

/** REST, OpenAPI, MCP, the live stream and the status pages on one address. */
const serverOf = (deployment: Deployment) =>
  Layer.unwrapScoped(
    Effect.map(Effect.all([healthOfInterface(deployment), Deferred.make<void>()]), ([health, portOpen]) =>
      Server.layer({ host: deployment.settings.host, port: deployment.settings.port, health }).pipe(
        Layer.tap(() =>
          Deferred.succeed(portOpen, undefined)
        ),
        Layer.tap((context) =>
          Effect.flatMap(
            Effect.all({ signInPath: firstSignIn(deployment), capturesMail }),
            (news) => deployment.ready(Context.get(context, Server.ServerAddress), news)
          )
        ),
        Layer.provide(metricsAtInterface(deployment)),
        Layer.merge(metricsOf(deployment, health)),
        Layer.provide(HttpApiBuilder.api(Api)),
        Layer.provide([
          PageRoutes.layer,
          PageLane.layer.pipe(Layer.provide(PingLane.layer)),
          PingRoutes.layer,
          Billing.layer,
          calendarFeeds,
          Upstreams.layer,
          MonitorMetrics.layer,
          OutsideRoutes.layer,
          certificateAsk
        ]),
        // After the routes, one of which informs the proxy of these hosts.
        Layer.provide([pageHosts, LiveVisitors.endsVisits]),
        Layer.provide(Handlers.layer),
        Layer.provide([CurrentPerson.layer, MemberReader.layer, PageViews.Default]),
        Layer.provide(LiveVisitors.Default),
        Layer.provide(Layer.provide(Operations.layer, Layer.succeed(PortOpen, Deferred.await(portOpen)))),
        Layer.provide(MonitorAnnouncer.Default)
      ))
  ).pipe(Layer.provide(MonitoringHealth.layer))

/** Health and metrics only, for processes that serve nothing else. */
const healthOf = (deployment: Deployment, health: HealthLooks) =>
  HealthServer.layer({ host: deployment.settings.host, port: deployment.settings.port, health }).pipe(
    Layer.tap((context) => deployment.ready(Context.get(context, Server.ServerAddress), nothingNew)),
    Layer.provide(metricsApart(deployment))
  )

/** The address at which other processes reach the runner. */
const runnerAddressOf = ({ role, settings }: Deployment): Effect.Effect<RunnerPlace> =>
  Effect.map(
    Option.match(settings.runnerHost, {
      onSome: Effect.succeed,
      onNone: () => role === "runner" ? machineAddress : Effect.succeed("127.0.0.1")
    }),
    (host) => ({ host, port: settings.runnerPort })
  )

const clusterOf = (deployment: Deployment, address: RunnerPlace) => {
  const { role, secret, settings } = deployment
  const identity = Option.match(settings.clusterCertificates, {
    onSome: ClusterIdentity.ofCertificates,
    onNone: () => ClusterIdentity.ofSecret(secret)
  })
  return role === "api"
    ? Layer.merge(Cluster.layerClient(identity, settings.cluster), RunnerAddressClaim.unneeded)
    : settings.kafka.brokers.length === 0
    ? Layer.merge(Cluster.layerSingle, RunnerAddressClaim.unneeded)
    : Layer.provideMerge(
      Layer.unwrapEffect(
        Effect.as(RunnerAddressClaim, Cluster.layerRunner(identity, address.host, address.port, settings.cluster))
      ),
      RunnerAddressClaim.layer(address, settings.cluster.shardLockSec)
    )
}

/** The layers of a process with a database, by role. They close in reverse order. */
const partsOf = (deployment: Deployment, address: RunnerPlace) => {
  switch (deployment.role) {
    case "all":
      return Layer.mergeAll(serverOf(deployment), probeOf(deployment)).pipe(Layer.provideMerge(Runner.layer))
    case "api":
      return serverOf(deployment)
    case "runner":
      return Layer.unwrapScoped(Effect.map(runnerHealth(address), (health) => healthOf(deployment, health))).pipe(
        Layer.provideMerge(Runner.layer)
      )
    case "probe":
      return Layer.empty
  }
}

/** One process has nobody to give its shards to. */
const watchdogOf = ({ role, settings }: Deployment) =>
  role !== "api" && settings.kafka.brokers.length > 0
    ? RunnerWatchdog.layer()
    : Layer.succeed(RunnerWatchdog, { gaveUp: Effect.never })

export const secretOrigin = ({ dataDir, secret }: Settings): string =>
  Option.isSome(secret) ? "BELLTOWER_SECRET" : `The content of ${secretFile(dataDir)}`

/** The database has the schema of this version and the secret of this process before anything uses it. */
const fitDatabase = ({ settings }: Deployment) =>
  Layer.effectDiscard(Effect.gen(function*() {
    yield* (settings.migrates ? Migrations.migrate : Migrations.verify)
    yield* checkSecret(secretOrigin(settings))
  }))

/** Only an api has clients that should go elsewhere first. */
const drainSecOf = ({ role, settings }: Deployment): number =>
  Option.getOrElse(settings.drainSec, () => role === "api" ? usualDrainSec : 0)

/** Runs any role except `probe`, which has no database. */
export const runOn = (deployment: Deployment, database: ReturnType<typeof Database.layer>) =>
  Effect.flatMap(runnerAddressOf(deployment), (address) =>
    runUntil(
      drainSecOf(deployment),
      Layer.provideMerge(watchdogOf(deployment), partsOf(deployment, address)).pipe(
        Layer.provide(RegionHealth.layer),
        Layer.provide(DirectMail.layer),
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
        Layer.provide(fitDatabase(deployment).pipe(Layer.provideMerge(Layer.merge(processServices(deployment), database))))
      ),
      (context) => Effect.raceFirst(Context.get(context, RunnerWatchdog).gaveUp, Context.get(context, RunnerAddressClaim).lost)
    ))

/** Runs the role `probe`: without a database, with its assignments from the bus. */
export const runProbe = (deployment: Deployment) => {
  const life = makeWorkerLife()
  return runUntil(
    drainSecOf(deployment),
    Layer.unwrapScoped(
      Effect.map(probeHealth(life), (health) => Layer.merge(probeOf(deployment, life), healthOf(deployment, health)))
    ).pipe(
      Layer.provide(Layer.mergeAll(busOf(deployment), processServices(deployment)))
    ),
    () => Effect.never
  )
}
