/** The interface of a process: REST, OpenAPI, MCP, the live stream, the dashboard and the status pages. A runner loads none of it. */
import { HttpApiBuilder } from "@effect/platform"
import { Context, Deferred, Effect, Layer, Option } from "effect"
import { Api } from "../../schema/api/Api.ts"
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
import { MetricsAccess } from "../http/server/MetricsAccess.ts"
import { ServerAddress } from "../http/server/ServeApp.ts"
import * as Upstreams from "../http/upstream/Upstreams.ts"
import { PortOpen } from "../operations/monitor/PortOpen.ts"
import * as Operations from "../operations/Operations.ts"
import { CustomDomains } from "../operations/page/CustomDomains.ts"
import { FirstOperator } from "../operations/people/FirstOperator.ts"
import { LiveVisitors } from "../pages/LiveVisitors.ts"
import * as PageRoutes from "../pages/PageRoutes.ts"
import { PageViews } from "../pages/PageViews.ts"
import { DeadMansSwitch } from "../services/installation/DeadMansSwitch.ts"
import { InstallationFigures } from "../services/installation/InstallationFigures.ts"
import { MonitorAnnouncer } from "../services/monitor/MonitorAnnouncer.ts"
import { MonitoringHealth } from "../services/monitor/MonitoringHealth.ts"
import { MailMode } from "../store/mail/MailMode.ts"
import { interfaceHealth } from "./DeploymentHealth.ts"
import { interfaceServices } from "./InterfaceServices.ts"
import { type Deployment, metricsApart } from "./ProbeDeployment.ts"
import * as Server from "./Server.ts"

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

/** All of it on one address. */
export const interfaceOf = (deployment: Deployment) =>
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
        Layer.provide(MonitorAnnouncer.Default),
        Layer.provide(interfaceServices(deployment))
      ))
  ).pipe(
    Layer.merge(InstallationFigures),
    Layer.provide(DeadMansSwitch.layer(deployment.settings.deadmanUrl)),
    Layer.provide(MonitoringHealth.layer)
  )
