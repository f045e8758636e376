/** The domain rules of manifest monitors. */
import { Either } from "effect"
import type { ManifestTarget } from "../../../../schema/monitor/kinds/manifest.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../../Refusal.ts"
import { maskUrl } from "../../secret/UrlSecrets.ts"
import type { MonitorKindSpec } from "../MonitorKindSpec.ts"
import { urlTexts } from "../UrlTexts.ts"

const settle = (input: MonitorUpdate, base: ManifestTarget | null): Either.Either<ManifestTarget, Refusal> => {
  const url = input.url ?? base?.url
  if (url === undefined) return Either.left({ path: "url", message: "url is required for manifest monitors" })
  if (new URL(url).username !== "") {
    return Either.left({
      path: "url",
      message: "url must not contain credentials",
      hint: "Put them in headers, which are stored encrypted: Authorization: Basic ..."
    })
  }
  return Either.right({
    kind: "manifest",
    url,
    degradedAfterMs: input.degradedAfterMs === undefined ? base?.degradedAfterMs ?? null : input.degradedAfterMs,
    sslExpiryDays: input.sslExpiryDays === undefined ? base?.sslExpiryDays ?? null : input.sslExpiryDays
  })
}

export const manifest: MonitorKindSpec<"manifest"> = {
  sealedFields: ["headers"],
  inferredFrom: [],
  settle,
  masked: (target) => ({ ...target, url: maskUrl(target.url) }),
  confidentialTexts: ({ url }) => urlTexts(url),
  runsCode: false
}
