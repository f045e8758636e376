/** The domain rules of http monitors. */
import { Either } from "effect"
import { Assertion } from "../../../../schema/monitor/Assertion.ts"
import type { HttpTarget } from "../../../../schema/monitor/kinds/http.ts"
import type { MonitorUpdate } from "../../../../schema/monitor/Monitor.ts"
import { parseExpectedStatus } from "../../check/answer/ExpectedStatus.ts"
import type { Refusal } from "../../Refusal.ts"
import { maskUrl } from "../../secret/UrlSecrets.ts"
import { type MonitorKindSpec, orBefore } from "../MonitorKindSpec.ts"
import { assertionRefusal } from "../settings/AssertionSettings.ts"
import { settleTls } from "../settings/TlsSettings.ts"
import { settleUrl, urlTexts } from "../settings/UrlSettings.ts"

/** null or an empty string clears a keyword. */
const keywordOf = (given: string | null | undefined, before: string | null | undefined): string | null =>
  orBefore(given === "" ? null : given, before)

const settle = (input: MonitorUpdate, base: HttpTarget | null): Either.Either<HttpTarget, Refusal> =>
  Either.gen(function*() {
    const url = yield* settleUrl(input, base?.url, "http", ["http", "https"])
    const assertions = input.assertions ?? base?.assertions ?? []
    const refused = assertionRefusal(assertions, "http", Assertion.fields.source.literals)
    if (refused !== null) return yield* Either.left(refused)
    const expectedStatus = input.expectedStatus ?? base?.expectedStatus ?? "200-299"
    yield* Either.mapLeft(parseExpectedStatus(expectedStatus), (message) => ({ path: "expectedStatus", message }))
    return {
      kind: "http",
      url,
      method: input.method ?? base?.method ?? "GET",
      followRedirects: input.followRedirects ?? base?.followRedirects ?? true,
      expectedStatus,
      keyword: keywordOf(input.keyword, base?.keyword),
      keywordAbsent: keywordOf(input.keywordAbsent, base?.keywordAbsent),
      degradedAfterMs: orBefore(input.degradedAfterMs, base?.degradedAfterMs),
      sslExpiryDays: orBefore(input.sslExpiryDays, base?.sslExpiryDays),
      assertions,
      ...yield* settleTls(input, base)
    }
  })

export const http: MonitorKindSpec<"http"> = {
  sealedFields: ["headers", "body", "clientKey"],
  inferredFrom: [["url"]],
  settle,
  masked: (target) => ({ ...target, url: maskUrl(target.url) }),
  confidentialTexts: ({ url }) => urlTexts(url)
}
