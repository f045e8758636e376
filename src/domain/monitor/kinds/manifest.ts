/** The domain rules of manifest monitors. */
import { Either } from "effect"
import type { ManifestTarget } from "../../../../schema/monitor/kinds/manifest.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { maskUrl } from "../../secret/UrlSecrets.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { settleUrl } from "../settings/UrlSettings.ts"
import { urlTexts } from "../settings/UrlTexts.ts"

const settle = (input: MonitorUpdate, base: ManifestTarget | null): Either.Either<ManifestTarget, Refusal> =>
  Either.map(settleUrl(input, base?.url, "manifest", ["http", "https"]), (url) => ({
    kind: "manifest",
    url,
    degradedAfterMs: input.degradedAfterMs === undefined ? base?.degradedAfterMs ?? null : input.degradedAfterMs,
    sslExpiryDays: input.sslExpiryDays === undefined ? base?.sslExpiryDays ?? null : input.sslExpiryDays
  }))

export const manifest: MonitorKindSpec<"manifest"> = {
  sealedFields: ["headers"],
  inferredFrom: [],
  settle,
  masked: (target) => ({ ...target, url: maskUrl(target.url) }),
  confidentialTexts: ({ url }) => urlTexts(url),
  runsCode: false
}
