/** Composes the layers of a process according to its role. */
import { HttpApiBuilder } from "@effect/platform"
import { Context, Deferred, Effect, Layer, Option } from "effect"
import * as Runner from "../../cluster/Runner.ts"
import { RunnerWatchdog } from "../../cluster/RunnerWatchdog.ts"
import { Api } from "../../schema/api/Api.ts"
import { BusKeys } from "../bus/BusKeys.ts"
import { KafkaBus } from "../bus/kafka/KafkaBus.ts"
import { LocalBus } from "../bus/LocalBus.ts"
import * as OutsideRoutes from "../dashboard/outside/OutsideRoutes.ts"
import { isPublicUrl } from "../domain/access/PublicName.ts"
import * as Billing from "../http/billing/Billing.ts"
import * as ChatRoutes from "../http/chat/ChatRoutes.ts"
import * as CurrentPerson from "../http/guard/CurrentPerson.ts"
import * as Handlers from "../http/Handlers.ts"
import { imageFiles } from "../http/image/Images.ts"
import * as MonitorMetrics from "../http/monitor/MetricsRoute.ts"
import * as PingFastPath from "../http/monitor/PingFastPath.ts"
import * as PingMails from "../http/monitor/PingMails.ts"
import * as OAuthRoutes from "../http/oauth/OAuthRoutes.ts"
import { calendarFeeds } from "../http/oncall/OnCall.ts"
import { certificateAsk, PageHosts } from "../http/page/HostRouting.ts"
import * as MemberReader from "../http/page/MemberReader.ts"
import * as PageFastPath from "../http/page/PageFastPath.ts"
import * as PhoneRoutes from "../http/paging/PhoneRoutes.ts"
import * as Enrolment from "../http/probe/Enrolment.ts"
import type { HealthLooks } from "../http/server/HealthChecks.ts"
import * as HealthServer from "../http/server/HealthServer.ts"
import { ProcessRole } from "../http/server/MetricRoles.ts"
import { MetricsAccess } from "../http/server/MetricsAccess.ts"
import { ServerAddress } from "../http/server/ServeApp.ts"
import * as Upstreams from "../http/upstream/Upstreams.ts"
import { ChatBots } from "../notify/chat/ChatBots.ts"
import { DirectMail } from "../notify/mail/DirectMail.ts"
import { MailServer } from "../notify/mail/MailServer.ts"
import { Phones } from "../notify/way/Phones.ts"
import { PushKeys } from "../notify/way/PushKeys.ts"
import { PortOpen } from "../operations/monitor/PortOpen.ts"
import * as Operations from "../operations/Operations.ts"
import { CustomDomains } from "../operations/page/CustomDomains.ts"
import { FirstOperator } from "../operations/people/FirstOperator.ts"
import { LiveVisitors } from "../pages/LiveVisitors.ts"
import * as PageRoutes from "../pages/PageRoutes.ts"
import { PageViews } from "../pages/PageViews.ts"
import { RegionHealth } from "../services/check/RegionHealth.ts"
import { DeadMansSwitch } from "../services/installation/DeadMansSwitch.ts"
import { InstallationFigures } from "../services/installation/InstallationFigures.ts"
import { MonitorAnnouncer } from "../services/monitor/MonitorAnnouncer.ts"
import { MonitoringHealth } from "../services/monitor/MonitoringHealth.ts"
import { ProbeRegistry } from "../services/probe/ProbeRegistry.ts"
import { CheckPartitions } from "../store/check/CheckPartitions.ts"
import { InstallationKeys } from "../store/InstallationKeys.ts"
import { KeyedHashes } from "../store/KeyedHashes.ts"
import { LinkKeys } from "../store/LinkKeys.ts"
import { MailMode } from "../store/mail/MailMode.ts"
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
import { interfaceHealth, runnerHealth } from "./DeploymentHealth.ts"
import { secretOrigin } from "./DeploymentSecrets.ts"
import { drainSecOf, healthOf, metricsApart, type ProbeDeployment, probeOf } from "./ProbeDeployment.ts"
import { processServices } from "./ProcessServices.ts"
import { runnerAddressOf } from "./RunnerAddressOf.ts"
import { runUntil } from "./RunUntil.ts"
import * as Server from "./Server.ts"
import { serversProbeIdentity } from "./ServersProbeIdentity.ts"

/** A process with a database has its secrets, too. */
export interface Deployment extends ProbeDeployment {
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

const metricsAtInterface = ({ baseUrl, settings }: Deployment) =>
  Layer.succeed(MetricsAccess, {
    token: settings.metricsToken,
    isPublic: isPublicUrl(baseUrl),
    elsewhere: Option.isSome(settings.metricsPort)
  })

/** Health and metrics at a port of their own, beside the interface. */
const metricsOf = (deployment: Deployment, health: HealthLooks) =>
  Option.match(deployment.settings.metricsPort, {
    onNone: () => Layer.empty,
    onSome: (port) =>
      // Fresh, because the router is shared otherwise, and with it the routes of the interface.
      Layer.discard(
        Layer.fresh(HealthServer.layer({ host: deployment.settings.host, port, setting: "BELLTOWER_METRICS_PORT", health }))
      ).pipe(
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

/** Without Kafka, the only runner is the one in the process. */
const healthOfInterface = ({ settings }: Deployment) => interfaceHealth(settings.cluster, settings.kafka.brokers.length > 0)
const capturesMail = Effect.map(Effect.flatten(MailMode), (mode) => mode === "captured")

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
            (news) => deployment.ready(Context.get(context, ServerAddress), news)
          )
        ),
        Layer.provide(metricsAtInterface(deployment)),
        Layer.merge(metricsOf(deployment, health)),
        Layer.merge(PingMails.layer(Option.getOrNull(deployment.settings.pingSmtp))),
        Layer.provide(HttpApiBuilder.api(Api)),
        Layer.provide([
          PageRoutes.layer,
          PageFastPath.layer.pipe(Layer.provide(PingFastPath.layer)),
          Enrolment.layer,
          Billing.layer,
          ChatRoutes.layer,
          PhoneRoutes.layer,
          calendarFeeds,
          imageFiles,
          Upstreams.layer,
          MonitorMetrics.layer,
          OutsideRoutes.layer,
          OAuthRoutes.layer,
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
  ).pipe(
    Layer.merge(InstallationFigures),
    Layer.provide(DeadMansSwitch.layer(deployment.settings.deadmanUrl)),
    Layer.provide(MonitoringHealth.layer)
  )

/** The layers of a process with a database, by role. They close in reverse order. */
const partsOf = (deployment: Deployment, address: RunnerEndpoint) => {
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

/** The database has the schema of this version and the secret of this process before anything uses it. */
const fitDatabase = ({ settings }: Deployment) =>
  Layer.effectDiscard(Effect.gen(function*() {
    yield* (settings.migrates ? Migrations.migrate : Migrations.verify)
    yield* checkSecret(secretOrigin(settings))
  }))

/** The services that sign and find by random keys of the installation, which the first process makes. */
const installation = Layer.merge(LinkKeys.layer, KeyedHashes.layer).pipe(Layer.provideMerge(InstallationKeys.Default))

/** Runs any role except `probe`, which has no database. */
export const runOn = (deployment: Deployment, database: ReturnType<typeof Database.layer>) =>
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
