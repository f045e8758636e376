/** The domain rules of manifest monitors. */
import { Either } from "effect"
import type { ManifestTarget } from "../../../../schema/monitor/kinds/manifest.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { maskUrl } from "../../secret/UrlSecrets.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"
import { settleTls } from "../settings/TlsSettings.ts"
import { settleUrl, urlTexts } from "../settings/UrlSettings.ts"

const settle = (input: MonitorUpdate, base: ManifestTarget | null): Either.Either<ManifestTarget, Refusal> =>
  Either.gen(function*() {
    return {
      kind: "manifest",
      url: yield* settleUrl(input, base?.url, "manifest", ["http", "https"]),
      degradedAfterMs: orBefore(input.degradedAfterMs, base?.degradedAfterMs),
      sslExpiryDays: orBefore(input.sslExpiryDays, base?.sslExpiryDays),
      ...yield* settleTls(input, base)
    }
  })

export const manifest: MonitorKindSpec<"manifest"> = {
  sealedFields: ["headers", "clientKey"],
  settle,
  masked: (target) => ({ ...target, url: maskUrl(target.url) }),
  confidentialTexts: ({ url }) => urlTexts(url)
}
