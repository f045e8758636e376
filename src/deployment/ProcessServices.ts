/** Turns the settings of a process into the services that its layers share; `InterfaceServices` are those of the interface alone. */
import { Effect, Layer, Option } from "effect"
import { WaitingSettings } from "../../cluster/check/WaitingRoom.ts"
import { Ai } from "../external/ai/AiProvider.ts"
import type { AiSettings } from "../external/ai/AiSettings.ts"
import { Billing } from "../external/billing/Billing.ts"
import type { StripeSettings } from "../external/billing/StripeProvider.ts"
import { UpstreamSettings } from "../external/upstream/UpstreamSettings.ts"
import { Proxies } from "../http/request/ClientAddress.ts"
import { AllowedHosts } from "../http/request/RequestSite.ts"
import { Links, linksFrom } from "../links/Links.ts"
import { ChannelAddresses } from "../notify/alert/ChannelAddresses.ts"
import { DeliverySettings } from "../notify/alert/DeliverySettings.ts"
import type { Settings } from "../settings/Settings.ts"
import { ReportsWanted } from "../store/ai/ReportRequests.ts"
import { EvidenceQuota } from "../store/check/EvidenceUsage.ts"
import { RetentionSettings } from "../store/check/Retention.ts"
import { EnvironmentMail } from "../store/mail/MailSetup.ts"
import { type DeploymentSecrets, Vault } from "../store/Vault.ts"
import { CapSettings } from "../store/workspace/Quotas.ts"
import { probeServices } from "./ProbeServices.ts"

interface Given {
  readonly settings: Settings
  readonly secrets: DeploymentSecrets
  readonly baseUrl: string
}

/** Without an SMTP_URL, the operator sets the mail server in the dashboard. */
const mailOf = ({ mailFrom, smtpUrl }: Settings, baseUrl: string) =>
  Layer.succeed(EnvironmentMail, {
    url: Option.getOrNull(smtpUrl),
    from: Option.getOrElse(mailFrom, () => `Belltower <belltower@${new URL(baseUrl).hostname}>`)
  })

/** The AI provider. Its libraries are loaded only if one is configured: they define thousands of schemas. */
const aiOf = (settings: Option.Option<AiSettings>): Layer.Layer<never> =>
  Option.match(settings, {
    onNone: () => Layer.empty,
    onSome: (given) =>
      Layer.scoped(
        Ai,
        Effect.promise(() => import("../external/ai/MakeAiProvider.ts")).pipe(
          Effect.flatMap(({ makeAiProvider }) => makeAiProvider(given)),
          Effect.tap((provider) => Effect.addFinalizer(() => provider.close))
        )
      )
  })

/** The payment provider, whose library is large, too. */
const billingOf = (settings: Option.Option<StripeSettings>) =>
  Layer.effect(
    Billing,
    Option.match(settings, {
      onNone: () => Effect.succeed(null),
      onSome: (given) =>
        Effect.map(
          Effect.promise(() => import("../external/billing/StripeProvider.ts")),
          ({ makeStripeProvider }) => makeStripeProvider(given)
        )
    })
  )

export const processServices = ({ baseUrl, secrets, settings }: Given) =>
  Layer.mergeAll(
    Vault.layer(secrets.present, secrets.previous),
    Layer.succeed(Links, linksFrom(baseUrl, Option.getOrUndefined(settings.domainTarget))),
    Layer.succeed(Proxies, settings.trustProxy),
    Layer.succeed(AllowedHosts, settings.allowedHosts),
    Layer.succeed(EvidenceQuota, settings.evidenceQuotaMb * 2 ** 20),
    Layer.succeed(CapSettings, settings.caps),
    Layer.succeed(UpstreamSettings, settings.upstreams),
    Layer.succeed(RetentionSettings, settings.retention),
    aiOf(settings.ai),
    Layer.succeed(ReportsWanted, Option.isSome(settings.ai)),
    billingOf(settings.stripe),
    mailOf(settings, baseUrl),
    probeServices({ baseUrl, settings }),
    Layer.succeed(DeliverySettings, settings.deliveryLimits),
    Layer.succeed(WaitingSettings, settings.waitingLimits),
    Layer.succeed(ChannelAddresses, settings.channelAddresses)
  )
