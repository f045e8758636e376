/** Access to /metrics at the public address: open on a private deployment, otherwise only with the token. */
import type { HttpServerRequest } from "@effect/platform"
import { Context, Effect, Option, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import { Forbidden, NotFound, Unauthorized } from "../../../schema/Errors.ts"

export interface MetricsPolicy {
  readonly token: Option.Option<Redacted.Redacted>
  /** Whether strangers can reach the address. */
  readonly isPublic: boolean
  /** Whether a separate listener serves the metrics. */
  readonly elsewhere: boolean
}

/** The policy of the deployment; open by default. */
export class MetricsAccess extends Context.Reference<MetricsAccess>()("belltower/MetricsAccess", {
  defaultValue: (): MetricsPolicy => ({ token: Option.none(), isPublic: false, elsewhere: false })
}) {}

const elsewhere = new NotFound({
  message: "This address does not serve metrics",
  hint: "They are at the port BELLTOWER_METRICS_PORT"
})

const closed = new Forbidden({
  message: "Metrics are not public",
  hint:
    "Set BELLTOWER_METRICS_TOKEN and send it as a bearer token, or set BELLTOWER_METRICS_PORT to serve them at a port of their own"
})

const wrongToken = new Unauthorized({
  message: "Metrics need their token",
  hint: "Send the header Authorization: Bearer <BELLTOWER_METRICS_TOKEN>"
})

const hash = (text: string) => createHash("sha256").update(text).digest()

/** Compares digests, so that timing does not reveal the token. */
const holds = (token: Redacted.Redacted, { headers }: HttpServerRequest.HttpServerRequest) =>
  timingSafeEqual(hash(`Bearer ${Redacted.value(token)}`), hash(headers["authorization"]?.trim() ?? ""))

export const mayReadMetrics = (
  { elsewhere: moved, isPublic, token }: MetricsPolicy,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<void, Forbidden | NotFound | Unauthorized> => {
  if (moved) return elsewhere
  if (Option.isSome(token)) return holds(token.value, request) ? Effect.void : wrongToken
  return isPublic ? closed : Effect.void
}
