/** Turns the settings of a process into the services that run its checks. */
import { Effect, Layer, Option } from "effect"
import { resolve } from "node:path"
import { isPublicUrl } from "../domain/access/PublicName.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { ChromiumPath } from "../probe/browser/Chromium.ts"
import { IsolationSettings } from "../probe/isolation/Isolation.ts"
import { RdapAddress } from "../probe/Rdap.ts"
import { showExpiry } from "../services/installation/CertificateExpiry.ts"
import { ownCertificates } from "../settings/ClusterSettings.ts"
import { isIsolationRequired } from "../settings/IsolationWish.ts"
import type { Settings } from "../settings/Settings.ts"

/** The certificates that the process read at its start: new files count after the next one. */
const expiries = ({ clusterCertificates: certificates, kafka: { tls } }: Settings) =>
  Layer.effectDiscard(Effect.sync(() => {
    for (const [setting, certificate] of ownCertificates({ certificates, tls })) showExpiry(setting, certificate)
  }))

/** The services of a process that only runs checks: none of them opens values that are sealed in the database. */
export const probeServices = ({ baseUrl, settings }: { readonly baseUrl: string; readonly settings: Settings }) =>
  Layer.mergeAll(
    Layer.succeed(BaseUrl, baseUrl),
    EgressGuard.Default({
      allow: settings.allowTargets.forAll,
      allowFor: settings.allowTargets.byWorkspace,
      isPublicService: isPublicUrl(baseUrl),
      headerLimit: settings.headerLimitKb * 1024
    }),
    Option.match(settings.chromium, { onNone: () => Layer.empty, onSome: (path) => Layer.succeed(ChromiumPath, path) }),
    Layer.succeed(IsolationSettings, {
      isRequired: isIsolationRequired(settings, baseUrl),
      hidden: [resolve(settings.dataDir)]
    }),
    Layer.succeed(RdapAddress, settings.rdapUrl),
    expiries(settings)
  )
