/** Composes the layers of a process according to its role. */
import { HttpApiBuilder } from "@effect/platform"
import { Context, Deferred, Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import * as Runner from "../cluster/Runner.ts"
import { RunnerWatchdog } from "../cluster/RunnerWatchdog.ts"
import { Api } from "../schema/api/Api.ts"
import { BusKeys } from "./bus/BusKeys.ts"
import { KafkaBus } from "./bus/KafkaBus.ts"
import { LocalBus } from "./bus/LocalBus.ts"
import * as OutsideRoutes from "./dashboard/outside/OutsideRoutes.ts"
import { clusterOf, runnerAddressOf, watchdogOf } from "./DeploymentCluster.ts"
import { interfaceHealth, probeHealth, runnerHealth } from "./DeploymentHealth.ts"
import { secretOrigin } from "./DeploymentSecrets.ts"
import { isPublicUrl } from "./domain/access/PublicName.ts"
import * as Billing from "./http/billing/Billing.ts"
import * as ChatRoutes from "./http/chat/ChatRoutes.ts"
import * as CurrentPerson from "./http/guard/CurrentPerson.ts"
import * as Handlers from "./http/Handlers.ts"
import * as MonitorMetrics from "./http/monitor/MetricsRoute.ts"
import * as PingLane from "./http/monitor/PingLane.ts"
import * as PingRoutes from "./http/monitor/PingRoutes.ts"
import { calendarFeeds } from "./http/oncall/OnCall.ts"
import { certificateAsk, PageHosts } from "./http/page/HostRouting.ts"
import * as MemberReader from "./http/page/MemberReader.ts"
import * as PageLane from "./http/page/PageLane.ts"
import * as PhoneRoutes from "./http/paging/PhoneRoutes.ts"
import * as Enrolment from "./http/probe/Enrolment.ts"
import type { HealthLooks } from "./http/server/HealthChecks.ts"
import * as HealthServer from "./http/server/HealthServer.ts"
import { ProcessRole } from "./http/server/MetricRoles.ts"
import { MetricsAccess } from "./http/server/MetricsAccess.ts"
import { mostChecks, mostOpenFiles } from "./http/server/OpenFiles.ts"
import * as Upstreams from "./http/upstream/Upstreams.ts"
import { restartForever } from "./loops/RestartForever.ts"
import { ChatBots } from "./notify/chat/ChatBots.ts"
import { DirectMail } from "./notify/mail/DirectMail.ts"
import { MailServer } from "./notify/mail/MailServer.ts"
import { Phones } from "./notify/way/Phones.ts"
import { PushKeys } from "./notify/way/PushKeys.ts"
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
import { probeIdentity, serversProbeIdentity } from "./ProbeIdentity.ts"
import { probeServices, processServices } from "./ProcessServices.ts"
import { runUntil, usualDrainSec } from "./RunUntil.ts"
import * as Server from "./Server.ts"
import { RegionHealth } from "./services/check/RegionHealth.ts"
import { DeadMansSwitch } from "./services/installation/DeadMansSwitch.ts"
import { InstallationFigures } from "./services/installation/InstallationFigures.ts"
import { MonitorAnnouncer } from "./services/monitor/MonitorAnnouncer.ts"
import { MonitoringHealth } from "./services/monitor/MonitoringHealth.ts"
import { ProbeRegistry } from "./services/probe/ProbeRegistry.ts"
import type { Role, Settings } from "./Settings.ts"
import { CheckPartitions } from "./store/check/CheckPartitions.ts"
import { InstallationKeys } from "./store/InstallationKeys.ts"
import { KeyedHashes } from "./store/KeyedHashes.ts"
import { LinkKeys } from "./store/LinkKeys.ts"
import { MailMode } from "./store/mail/MailMode.ts"
import type * as Database from "./store/postgres/Database.ts"
import { DatabaseClock } from "./store/postgres/DatabaseClock.ts"
import * as Migrations from "./store/postgres/Migrations.ts"
import { RunnerAddressClaim, type RunnerPlace } from "./store/postgres/RunnerAddressClaim.ts"
import * as SharedClock from "./store/postgres/SharedClock.ts"
import { Wakeups } from "./store/postgres/Wakeups.ts"
import { Probes } from "./store/probe/Probes.ts"
import { checkSecret } from "./store/SecretCheck.ts"
import * as Store from "./store/Store.ts"
import type { DeploymentSecrets } from "./store/Vault.ts"

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
  readonly secrets: DeploymentSecrets
  readonly baseUrl: string
  /** Runs once the process accepts requests. */
  readonly ready: (address: Server.ServerAddress["Type"], news: FirstNews) => Effect.Effect<void>
}

/** A process that only runs checks has neither a secret nor a database. */
type ProbeDeployment = Omit<Deployment, "secrets">

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

/** No more checks at a time than this process can have sockets: one without a socket would be skipped. */
const fittingLimits = Effect.fnUntraced(function*({ probeLimits }: Settings) {
  const most = Option.match(yield* mostOpenFiles, { onNone: () => Infinity, onSome: mostChecks })
  if (most >= probeLimits.concurrency) return probeLimits
  yield* Effect.logWarning(
    `The limit of open files suffices for ${most} checks at a time, not for ${probeLimits.concurrency}. Raise it (ulimit -n).`
  )
  return { ...probeLimits, concurrency: most }
})

const probeOf = ({ settings }: ProbeDeployment, region = settings.region, life = makeWorkerLife()) =>
  Layer.scopedDiscard(Effect.flatMap(fittingLimits(settings), (limits) => {
    const { canaries, checksUplink } = settings
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
const metricsApart = ({ settings }: ProbeDeployment) =>
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
          Enrolment.layer,
          Billing.layer,
          ChatRoutes.layer,
          PhoneRoutes.layer,
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
  ).pipe(
    Layer.merge(InstallationFigures),
    Layer.provide(DeadMansSwitch.layer(deployment.settings.deadmanUrl)),
    Layer.provide(MonitoringHealth.layer)
  )

/** Health and metrics only, for processes that serve nothing else. */
const healthOf = (deployment: ProbeDeployment, health: HealthLooks) =>
  HealthServer.layer({ host: deployment.settings.host, port: deployment.settings.port, health }).pipe(
    Layer.tap((context) => deployment.ready(Context.get(context, Server.ServerAddress), nothingNew)),
    Layer.provide(metricsApart(deployment))
  )

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

/** The database has the schema of this version and the secret of this process before anything uses it. */
const fitDatabase = ({ settings }: Deployment) =>
  Layer.effectDiscard(Effect.gen(function*() {
    yield* (settings.migrates ? Migrations.migrate : Migrations.verify)
    yield* checkSecret(secretOrigin(settings))
  }))

/** The services that sign and find by random keys of the installation, which the first process makes. */
const installation = Layer.merge(LinkKeys.layer, KeyedHashes.layer).pipe(Layer.provideMerge(InstallationKeys.Default))

/** Only an api has clients that should go elsewhere first. */
const drainSecOf = ({ role, settings }: ProbeDeployment): number =>
  Option.getOrElse(settings.drainSec, () => role === "api" ? usualDrainSec : 0)

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

/** Runs the role `probe`: without a database and a secret, with its assignments from the bus. Fails when it is revoked. */
export const runProbe = Effect.fn("Deployment.runProbe")(function*(deployment: ProbeDeployment) {
  const { ended, keys } = yield* probeIdentity(deployment.settings)
  const life = makeWorkerLife()
  // A probe waits for the topics that the servers or the operator make.
  const bus = KafkaBus.layer({ ...deployment.settings.kafka, createTopics: false })
  return yield* runUntil(
    drainSecOf(deployment),
    Layer.unwrapScoped(
      Effect.map(probeHealth(life), (health) => Layer.merge(probeOf(deployment, keys.region, life), healthOf(deployment, health)))
    ).pipe(
      Layer.provide(Layer.mergeAll(
        Layer.provide(bus, Layer.succeed(BusKeys, { servers: null, probe: keys })),
        Layer.succeed(ProcessRole, "probe"),
        probeServices(deployment)
      ))
    ),
    () => ended
  )
})
