/** How the parts of a process fit together, by its role and size. */
import type { RunnerStorage } from "@effect/cluster"
import { HttpApiBuilder } from "@effect/platform"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { RegionHealth } from "../cluster/check/RegionHealth.ts"
import * as Cluster from "../cluster/Cluster.ts"
import { MonitorAnnouncer } from "../cluster/monitor/MonitorAnnouncer.ts"
import * as Runner from "../cluster/Runner.ts"
import { Api } from "../schema/api/Api.ts"
import { Bus } from "./bus/Bus.ts"
import { KafkaBus } from "./bus/KafkaBus.ts"
import { LocalBus } from "./bus/LocalBus.ts"
import * as DashboardRoutes from "./dashboard/DashboardRoutes.ts"
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
import { Pings } from "./http/monitor/Pings.ts"
import { Proxies } from "./http/request/ClientAddress.ts"
import type { Dependency } from "./http/server/Health.ts"
import * as HealthServer from "./http/server/HealthServer.ts"
import { BaseUrl } from "./links/BaseUrl.ts"
import { Links, linksFrom } from "./links/Links.ts"
import { unending } from "./loops/Unending.ts"
import { McpSettings } from "./mcp/McpSettings.ts"
import { MailServer } from "./notify/mail/MailServer.ts"
import { DefaultRegion } from "./operations/monitor/ManageMonitors.ts"
import * as Operations from "./operations/Operations.ts"
import * as PageRoutes from "./pages/PageRoutes.ts"
import { PublicPages } from "./pages/PublicPages.ts"
import { SnapshotLoader } from "./pages/SnapshotLoader.ts"
import { Judging } from "./probe/judging/Judging.ts"
import { SealingKey } from "./probe/ProbeResult.ts"
import * as Worker from "./probe/Worker.ts"
import * as Server from "./Server.ts"
import type { Role, Settings } from "./Settings.ts"
import { LiveHub } from "./sse/LiveHub.ts"
import { CheckPartitions } from "./store/check/CheckPartitions.ts"
import { LiveWatchers } from "./store/check/LiveWatchers.ts"
import { EventCursors } from "./store/event/EventCursors.ts"
import { MailMode } from "./store/mail/MailMode.ts"
import * as Database from "./store/postgres/Database.ts"
import * as Migrations from "./store/postgres/Migrations.ts"
import * as Store from "./store/Store.ts"
import { Vault } from "./store/Vault.ts"

/** The settings and what was made of them before anything starts. */
export interface Deployment {
  readonly settings: Settings
  readonly role: Role
  readonly secret: Redacted.Redacted
  readonly baseUrl: string
  /** Told once the process serves. */
  readonly ready: (address: Server.ServerAddress["Type"]) => Effect.Effect<void>
}

const busOf = ({ settings }: Deployment): Layer.Layer<Bus> =>
  settings.kafkaBrokers.length === 0 ? LocalBus.layer : KafkaBus.layer({
    brokers: settings.kafkaBrokers,
    topicPrefix: settings.kafkaTopicPrefix,
    partitions: settings.kafkaPartitions
  })

const sealing = (secret: Redacted.Redacted) => Layer.succeed(SealingKey, sealingKey(Redacted.value(secret)))

/** Without a mail server mail is only kept. */
const mailOf = ({ mailFrom, smtpUrl }: Settings, baseUrl: string) =>
  Option.match(smtpUrl, {
    onNone: () => Layer.succeed(MailMode, "captured"),
    onSome: (url) =>
      Layer.merge(
        Layer.succeed(MailMode, "sent"),
        MailServer.layer({ url, from: Option.getOrElse(mailFrom, () => `Belltower <belltower@${new URL(baseUrl).hostname}>`) })
      )
  })

/** Those who can vouch for people, as far as they are configured. */
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
    sealing(secret),
    Layer.succeed(Billing, Option.getOrNull(Option.map(settings.stripe, makeStripeProvider))),
    mailOf(settings, baseUrl),
    providersOf(settings, baseUrl),
    McpSettings.layer(secret, settings.allowedHosts),
    EgressGuard.Default({ allow: settings.allowTargets })
  )

/** A probe worker for the region; it ends with the process. */
const probeOf = ({ settings }: Deployment) =>
  Layer.scopedDiscard(Effect.suspend(() => {
    const { canaries, probeLimits: limits, region } = settings
    const worker = Worker.run({ region, workerId: randomUUID(), canaries, limits })
    return Effect.forkScoped(unending("The probe worker", worker))
  })).pipe(Layer.provide(Judging.Default))

/** What /readyz asks of a process. */
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

/** REST, OpenAPI, MCP, the live stream and the status pages at one address. */
const serverOf = ({ ready: told, settings }: Deployment) =>
  Layer.unwrapEffect(Effect.map(dependencies, (ready) =>
    Server.layer({ host: settings.host, port: settings.port, ready }).pipe(
      Layer.tap((context) => told(Context.get(context, Server.ServerAddress))),
      Layer.provide(HttpApiBuilder.api(Api)),
      Layer.provide([PageRoutes.layer, PingLane.layer, PingRoutes.layer, BillingRoutes.layer, DashboardRoutes.layer]),
      Layer.provide(Handlers.layer),
      Layer.provide([
        Authorization.layer,
        CurrentPerson.layer,
        Operations.layer,
        Pings.Default,
        PublicPages.Default,
        LiveHub.Default
      ]),
      Layer.provide([MonitorAnnouncer.Default, SnapshotLoader.Default, LiveWatchers.Default, EventCursors.Default])
    )))

/** Health and metrics alone, for processes that serve nothing else. */
const healthOf = ({ ready: told, settings }: Deployment, ready: ReadonlyArray<Dependency>) =>
  HealthServer.layer({ host: settings.host, port: settings.port, ready }).pipe(
    Layer.tap((context) => told(Context.get(context, Server.ServerAddress)))
  )

const clusterOf = ({ role, settings }: Deployment) =>
  role === "api"
    ? Cluster.layerClient
    : settings.kafkaBrokers.length === 0
    ? Cluster.layerSingle
    : Cluster.layerRunner(settings.runnerHost, settings.runnerPort)

/** The parts of a process that has the database, by its role; closed in the reverse order. */
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

/** Everything of a process that has the database: the role `probe` has none. */
export const runOn = (deployment: Deployment, database: ReturnType<typeof Database.layer>) =>
  Layer.launch(
    partsOf(deployment).pipe(
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

/** A probe knows no database: what it is to look at comes over the bus. */
export const runProbe = (deployment: Deployment) =>
  Layer.launch(
    Layer.unwrapEffect(
      Effect.map(Bus, (bus) => Layer.merge(probeOf(deployment), healthOf(deployment, [{ name: "bus", probe: bus.ping }])))
    ).pipe(
      Layer.provide(Layer.mergeAll(busOf(deployment), groundOf(deployment)))
    )
  )
