/** Turns the settings of a process into the services that its layers share. */
import { Effect, Layer, Option } from "effect"
import { WaitingSettings } from "../../cluster/check/WaitingRoom.ts"
import { admissionOf } from "../domain/access/Registration.ts"
import { Ai } from "../external/ai/AiProvider.ts"
import type { AiSettings } from "../external/ai/AiSettings.ts"
import { Billing } from "../external/billing/Billing.ts"
import { makeStripeProvider } from "../external/billing/StripeProvider.ts"
import { makeGitHub } from "../external/oauth/GitHub.ts"
import { makeGoogle } from "../external/oauth/Google.ts"
import { SignInProviders } from "../external/oauth/SignInProvider.ts"
import { UpstreamSettings } from "../external/upstream/UpstreamSettings.ts"
import { operations } from "../http/openapi/Operations.ts"
import { Proxies } from "../http/request/ClientAddress.ts"
import { AllowedHosts } from "../http/request/RequestSite.ts"
import { Links, linksFrom } from "../links/Links.ts"
import { McpSettings } from "../mcp/McpSettings.ts"
import { ChannelAddresses } from "../notify/alert/ChannelAddresses.ts"
import { DeliverySettings } from "../notify/alert/DeliverySettings.ts"
import { OperationCatalog } from "../operations/access/OperationCatalog.ts"
import { DefaultRegion } from "../operations/check/DefaultRegion.ts"
import { ChecksPerWorkspace } from "../operations/check/OnDemandChecks.ts"
import { StreamSettings } from "../operations/event/StreamSlots.ts"
import { ImportAddresses } from "../operations/import/ReadSource.ts"
import { ReservedDomains } from "../operations/page/VerifyDomain.ts"
import { RegistrationSettings } from "../operations/workspace/AdmitRegistration.ts"
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

const providersOf = ({ github, githubUrl, google, googleIssuer }: Settings, baseUrl: string) =>
  Layer.succeed(SignInProviders, {
    ...(Option.isSome(google) ? { google: makeGoogle({ ...google.value, issuer: googleIssuer }, baseUrl) } : {}),
    ...(Option.isSome(github) ? { github: makeGitHub({ ...github.value, url: githubUrl }, baseUrl) } : {})
  })

export const processServices = ({ baseUrl, secrets, settings }: Given) =>
  Layer.mergeAll(
    Vault.layer(secrets.present, secrets.previous),
    Layer.succeed(Links, linksFrom(baseUrl, Option.getOrUndefined(settings.domainTarget))),
    Layer.succeed(ReservedDomains, [...settings.reservedDomains, ...settings.allowedHosts]),
    Layer.succeed(Proxies, settings.trustProxy),
    Layer.succeed(AllowedHosts, settings.allowedHosts),
    Layer.succeed(RegistrationSettings, {
      admission: admissionOf(settings.registration, settings.allowTargets.forAll.length > 0),
      bootstrapsAnHour: settings.bootstrapsAnHour
    }),
    Layer.succeed(DefaultRegion, settings.region),
    Layer.succeed(EvidenceQuota, settings.evidenceQuotaMb * 2 ** 20),
    Layer.succeed(CapSettings, settings.caps),
    Layer.succeed(ImportAddresses, settings.importAddresses),
    Layer.succeed(UpstreamSettings, settings.upstreams),
    Layer.succeed(RetentionSettings, settings.retention),
    Layer.succeed(StreamSettings, settings.streamCaps),
    Layer.succeed(ChecksPerWorkspace, settings.checksPerWorkspace),
    Layer.succeed(OperationCatalog, operations),
    aiOf(settings.ai),
    Layer.succeed(ReportsWanted, Option.isSome(settings.ai)),
    Layer.succeed(Billing, Option.getOrNull(Option.map(settings.stripe, makeStripeProvider))),
    mailOf(settings, baseUrl),
    providersOf(settings, baseUrl),
    Layer.succeed(McpSettings, { allowedHosts: settings.allowedHosts }),
    probeServices({ baseUrl, settings }),
    Layer.succeed(DeliverySettings, settings.deliveryLimits),
    Layer.succeed(WaitingSettings, settings.waitingLimits),
    Layer.succeed(ChannelAddresses, settings.channelAddresses)
  )
