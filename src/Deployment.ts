/** Composes the layers of a process according to its role. */
import type { RunnerStorage } from "@effect/cluster"
import { HttpApiBuilder } from "@effect/platform"
import { Cause, Context, Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { RegionHealth } from "../cluster/check/RegionHealth.ts"
import * as Cluster from "../cluster/Cluster.ts"
import { MonitorAnnouncer } from "../cluster/monitor/MonitorAnnouncer.ts"
import * as Runner from "../cluster/Runner.ts"
import { ActorsHang, RunnerWatchdog } from "../cluster/RunnerWatchdog.ts"
import { Api } from "../schema/api/Api.ts"
import { Bus } from "./bus/Bus.ts"
import { KafkaBus } from "./bus/KafkaBus.ts"
import { LocalBus } from "./bus/LocalBus.ts"
import * as DashboardRoutes from "./dashboard/DashboardRoutes.ts"
import { isPublicUrl } from "./domain/access/PublicName.ts"
import { sealingKey } from "./domain/Sealed.ts"
import { EgressGuard } from "./egress/EgressGuard.ts"
import { Billing } from "./external/billing/Billing.ts"
import { makeStripeProvider } from "./external/billing/StripeProvider.ts"
import { makeGitHub } from "./external/oauth/GitHub.ts"
import { makeGoogle } from "./external/oauth/Google.ts"
import { SignInProviders } from "./external/oauth/SignInProvider.ts"
import * as BillingRoutes from "./http/billing/BillingRoutes.ts"
import * as Authorization from "./http/guard/Authorization.ts"
import * as CurrentPerson from "./http/guard/CurrentPerson.ts"
import * as Handlers from "./http/Handlers.ts"
import * as PingLane from "./http/monitor/PingLane.ts"
import * as PingRoutes from "./http/monitor/PingRoutes.ts"
import { operations } from "./http/openapi/Operations.ts"
import { Proxies } from "./http/request/ClientAddress.ts"
import type { Dependency } from "./http/server/Health.ts"
import * as HealthServer from "./http/server/HealthServer.ts"
import { MetricsAccess } from "./http/server/MetricsAccess.ts"
import { BaseUrl } from "./links/BaseUrl.ts"
import { Links, linksFrom } from "./links/Links.ts"
import { restartForever } from "./loops/RestartForever.ts"
import { McpSettings } from "./mcp/McpSettings.ts"
import { DeliverySettings } from "./notify/alert/DeliverySettings.ts"
import { MailServer } from "./notify/mail/MailServer.ts"
import { OperationCatalog } from "./operations/access/OperationCatalog.ts"
import { DefaultRegion } from "./operations/check/DefaultRegion.ts"
import { ChecksPerWorkspace } from "./operations/check/RunCheck.ts"
import { StreamSettings } from "./operations/event/StreamSlots.ts"
import * as Operations from "./operations/Operations.ts"
import * as PageRoutes from "./pages/PageRoutes.ts"
import { PageViews } from "./pages/PageViews.ts"
import { Judging } from "./probe/judging/Judging.ts"
import { SealingKey } from "./probe/ProbeResult.ts"
import * as Worker from "./probe/Worker.ts"
import * as Server from "./Server.ts"
import type { Role, Settings } from "./Settings.ts"
import { CheckPartitions } from "./store/check/CheckPartitions.ts"
import { EvidenceQuota } from "./store/check/EvidenceUsage.ts"
import { MailMode } from "./store/mail/MailMode.ts"
import * as Database from "./store/postgres/Database.ts"
import * as Migrations from "./store/postgres/Migrations.ts"
import * as Store from "./store/Store.ts"
import { Vault } from "./store/Vault.ts"
import { CapSettings } from "./store/workspace/Quotas.ts"

/** The settings, and the values derived from them before anything starts. */
export interface Deployment {
  readonly settings: Settings
  readonly role: Role
  readonly secret: Redacted.Redacted
  readonly baseUrl: string
  /** Runs once the process accepts requests. */
  readonly ready: (address: Server.ServerAddress["Type"]) => Effect.Effect<void>
}

const busOf = ({ settings }: Deployment): Layer.Layer<Bus> =>
  settings.kafkaBrokers.length === 0 ? LocalBus.layer : KafkaBus.layer({
    brokers: settings.kafkaBrokers,
    topicPrefix: settings.kafkaTopicPrefix,
    partitions: settings.kafkaPartitions
  })

const sealing = (secret: Redacted.Redacted) => Layer.succeed(SealingKey, sealingKey(Redacted.value(secret)))

/** Without a mail server, mail is stored but not sent. */
const mailOf = ({ mailFrom, smtpUrl }: Settings, baseUrl: string) =>
  Option.match(smtpUrl, {
    onNone: () => Layer.succeed(MailMode, "captured"),
    onSome: (url) =>
      Layer.merge(
        Layer.succeed(MailMode, "sent"),
        MailServer.layer({ url, from: Option.getOrElse(mailFrom, () => `Belltower <belltower@${new URL(baseUrl).hostname}>`) })
      )
  })

/** The configured sign-in providers. */
const providersOf = ({ github, githubUrl, google, googleIssuer }: Settings, baseUrl: string) =>
  Layer.succeed(SignInProviders, {
    ...(Option.isSome(google) ? { google: makeGoogle({ ...google.value, issuer: googleIssuer }, baseUrl) } : {}),
    ...(Option.isSome(github) ? { github: makeGitHub({ ...github.value, url: githubUrl }, baseUrl) } : {})
  })

const groundOf = ({ baseUrl, secret, settings }: Deployment) =>
  Layer.mergeAll(
    Vault.layer(secret),
    Layer.succeed(Links, linksFrom(baseUrl)),
    Layer.succeed(BaseUrl, baseUrl),
    Layer.succeed(Proxies, settings.trustProxy),
    Layer.succeed(DefaultRegion, settings.region),
    Layer.succeed(EvidenceQuota, settings.evidenceQuotaMb * 2 ** 20),
    Layer.succeed(CapSettings, settings.caps),
    Layer.succeed(StreamSettings, settings.streamCaps),
    Layer.succeed(ChecksPerWorkspace, settings.checksPerWorkspace),
    Layer.succeed(OperationCatalog, operations),
    sealing(secret),
    Layer.succeed(Billing, Option.getOrNull(Option.map(settings.stripe, makeStripeProvider))),
    mailOf(settings, baseUrl),
    providersOf(settings, baseUrl),
    McpSettings.layer(secret, settings.allowedHosts),
    EgressGuard.Default({ allow: settings.allowTargets }),
    Layer.succeed(DeliverySettings, settings.deliveryLimits)
  )

/** A probe worker for the region. It runs until the process stops. */
const probeOf = ({ settings }: Deployment) =>
  Layer.scopedDiscard(Effect.suspend(() => {
    const { canaries, probeLimits: limits, region } = settings
    const worker = Worker.run({ region, workerId: randomUUID(), canaries, limits })
    return Effect.forkScoped(restartForever("The probe worker", worker))
  })).pipe(Layer.provide(Judging.Default))

/** The dependencies that `/readyz` checks. */
const dependencies = Effect.gen(function*() {
  const { ping } = yield* Database.Database
  const bus = yield* Bus
  const cluster = yield* Effect.context<RunnerStorage.RunnerStorage>()
  const ready: ReadonlyArray<Dependency> = [
    { name: "database", probe: ping },
    { name: "bus", probe: bus.ping },
    { name: "cluster", probe: Effect.provide(Cluster.pingCluster, cluster) }
  ]
  return ready
})

/** Who may read the metrics at the address of the interface. */
const metricsAtInterface = ({ baseUrl, settings }: Deployment) =>
  Layer.succeed(MetricsAccess, {
    token: settings.metricsToken,
    isPublic: isPublicUrl(baseUrl),
    elsewhere: Option.isSome(settings.metricsPort)
  })

/** The same at a port for health and metrics only, which is not for strangers. */
const metricsApart = ({ settings }: Deployment) =>
  Layer.succeed(MetricsAccess, { token: settings.metricsToken, isPublic: false, elsewhere: false })

/** Health and metrics at a port of their own, beside the interface. */
const metricsOf = (deployment: Deployment, ready: ReadonlyArray<Dependency>) =>
  Option.match(deployment.settings.metricsPort, {
    onNone: () => Layer.empty,
    onSome: (port) =>
      // Fresh, because the router is shared otherwise, and with it the routes of the interface.
      Layer.discard(Layer.fresh(HealthServer.layer({ host: deployment.settings.host, port, ready }))).pipe(
        Layer.provide(metricsApart(deployment))
      )
  })

/** REST, OpenAPI, MCP, the live stream and the status pages on one address. */
const serverOf = (deployment: Deployment) =>
  Layer.unwrapEffect(
    Effect.map(dependencies, (ready) =>
      Server.layer({ host: deployment.settings.host, port: deployment.settings.port, ready }).pipe(
        Layer.tap((context) =>
          deployment.ready(Context.get(context, Server.ServerAddress))
        ),
        Layer.provide(metricsAtInterface(deployment)),
        Layer.merge(metricsOf(deployment, ready)),
        Layer.provide(HttpApiBuilder.api(Api)),
        Layer.provide([PageRoutes.layer, PingLane.layer, PingRoutes.layer, BillingRoutes.layer, DashboardRoutes.layer]),
        Layer.provide(Handlers.layer),
        Layer.provide([Authorization.layer, CurrentPerson.layer, PageViews.Default]),
        Layer.provide(Operations.layer),
        Layer.provide(MonitorAnnouncer.Default)
      ))
  )

/** Health and metrics only, for processes that serve nothing else. */
const healthOf = (deployment: Deployment, ready: ReadonlyArray<Dependency>) =>
  HealthServer.layer({ host: deployment.settings.host, port: deployment.settings.port, ready }).pipe(
    Layer.tap((context) => deployment.ready(Context.get(context, Server.ServerAddress))),
    Layer.provide(metricsApart(deployment))
  )

const clusterOf = ({ role, settings }: Deployment) =>
  role === "api"
    ? Cluster.layerClient
    : settings.kafkaBrokers.length === 0
    ? Cluster.layerSingle
    : Cluster.layerRunner(settings.runnerHost, settings.runnerPort)

/** The layers of a process with a database, by role. They close in reverse order. */
const partsOf = (deployment: Deployment) => {
  switch (deployment.role) {
    case "all":
      return Layer.mergeAll(serverOf(deployment), probeOf(deployment)).pipe(Layer.provideMerge(Runner.layer))
    case "api":
      return serverOf(deployment)
    case "runner":
      return Layer.unwrapEffect(Effect.map(dependencies, (ready) => healthOf(deployment, ready))).pipe(
        Layer.provideMerge(Runner.layer)
      )
    case "probe":
      return Layer.empty
  }
}

/** A runner that gives up must not keep its shards because something in it cannot be closed. */
const closeWithin = "5 seconds"

/** Runs layers until the process stops, or until the watchdog of the runner gives up. */
const runWatched = <E>(layer: Layer.Layer<RunnerWatchdog, E>) =>
  Effect.acquireUseRelease(
    Scope.make(),
    (scope) =>
      Effect.flatMap(Layer.buildWithScope(layer, scope), (context) => Context.get(context, RunnerWatchdog).gaveUp).pipe(
        Effect.tapError((error) => error instanceof ActorsHang ? Effect.logError(error.message) : Effect.void)
      ),
    (scope, exit) => {
      const close = Scope.close(scope, exit)
      const hangs = Exit.isFailure(exit) && Option.exists(Cause.failureOption(exit.cause), (error) => error instanceof ActorsHang)
      return hangs ? Effect.asVoid(Effect.timeoutOption(Effect.disconnect(Effect.interruptible(close)), closeWithin)) : close
    }
  )

/** One process has nobody to give its shards to. */
const watchdogOf = ({ role, settings }: Deployment) =>
  role !== "api" && settings.kafkaBrokers.length > 0
    ? RunnerWatchdog.layer()
    : Layer.succeed(RunnerWatchdog, { gaveUp: Effect.never })

/** Runs any role except `probe`, which has no database. */
export const runOn = (deployment: Deployment, database: ReturnType<typeof Database.layer>) =>
  runWatched(
    Layer.provideMerge(watchdogOf(deployment), partsOf(deployment)).pipe(
      Layer.provide(RegionHealth.layer),
      Layer.provide(MonitorAnnouncer.Default),
      Layer.provide(Store.layer),
      Layer.provide(
        Layer.effectDiscard(Effect.flatMap(CheckPartitions, (partitions) => partitions.maintain())).pipe(
          Layer.provide(CheckPartitions.Default),
          Layer.provideMerge(Layer.mergeAll(busOf(deployment), clusterOf(deployment)))
        )
      ),
      Layer.provide(Migrations.layer.pipe(Layer.provideMerge(Layer.merge(groundOf(deployment), database))))
    )
  )

/** Runs the role `probe`: without a database, with its assignments from the bus. */
export const runProbe = (deployment: Deployment) =>
  Layer.launch(
    Layer.unwrapEffect(
      Effect.map(Bus, (bus) => Layer.merge(probeOf(deployment), healthOf(deployment, [{ name: "bus", probe: bus.ping }])))
    ).pipe(
      Layer.provide(Layer.mergeAll(busOf(deployment), groundOf(deployment)))
    )
  )
