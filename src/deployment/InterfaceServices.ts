/** Turns the settings of a process into the services that only the interface uses. */
import { Layer, Option } from "effect"
import { admissionOf } from "../domain/access/Registration.ts"
import { makeGitHub } from "../external/oauth/GitHub.ts"
import { makeGoogle } from "../external/oauth/Google.ts"
import { SignInProviders } from "../external/oauth/SignInProvider.ts"
import { operations } from "../http/openapi/Operations.ts"
import { McpSettings } from "../mcp/McpSettings.ts"
import { OperationCatalog } from "../operations/access/OperationCatalog.ts"
import { DefaultRegion } from "../operations/check/DefaultRegion.ts"
import { ChecksPerWorkspace } from "../operations/check/OnDemandChecks.ts"
import { StreamSettings } from "../operations/event/StreamSlots.ts"
import { ImportAddresses } from "../operations/import/ReadSource.ts"
import { ReservedDomains } from "../operations/page/VerifyDomain.ts"
import { RegistrationSettings } from "../operations/workspace/AdmitRegistration.ts"
import type { Settings } from "../settings/Settings.ts"
import type { Deployment } from "./ProbeDeployment.ts"

const providersOf = ({ github, githubUrl, google, googleIssuer }: Settings, baseUrl: string) =>
  Layer.succeed(SignInProviders, {
    ...(Option.isSome(google) ? { google: makeGoogle({ ...google.value, issuer: googleIssuer }, baseUrl) } : {}),
    ...(Option.isSome(github) ? { github: makeGitHub({ ...github.value, url: githubUrl }, baseUrl) } : {})
  })

export const interfaceServices = ({ baseUrl, settings }: Deployment) =>
  Layer.mergeAll(
    Layer.succeed(OperationCatalog, operations),
    Layer.succeed(ReservedDomains, [...settings.reservedDomains, ...settings.allowedHosts]),
    Layer.succeed(RegistrationSettings, {
      admission: admissionOf(settings.registration, settings.allowTargets.forAll.length > 0),
      bootstrapsAnHour: settings.bootstrapsAnHour
    }),
    Layer.succeed(DefaultRegion, settings.region),
    Layer.succeed(ImportAddresses, settings.importAddresses),
    Layer.succeed(StreamSettings, settings.streamCaps),
    Layer.succeed(ChecksPerWorkspace, settings.checksPerWorkspace),
    providersOf(settings, baseUrl),
    Layer.succeed(McpSettings, { allowedHosts: settings.allowedHosts })
  )
