/** Answers plain requests for `/healthz` before the router: orchestrators ask every process every few seconds, busy or not. */
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { domainOf } from "../page/HostRouting.ts"
import { measure } from "./HttpMetrics.ts"
import { protection, transport } from "./ResponseHeaders.ts"

/** The path, and its label in the metrics. */
export const healthPath = "/healthz"

/** The body of the answer, which only reports that the process is alive. */
export const alive = { alive: true }

const body = JSON.stringify(alive)

/** Its responses are identical to the router's, which answers HEAD, queries and other spellings. */
export const makeHealthLane = Effect.gen(function*() {
  const clock = yield* Effect.clock
  const baseUrl = yield* BaseUrl
  const own = new URL(baseUrl).hostname
  const secure = transport(baseUrl)

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { headers, method, url } = request
    if (url !== healthPath || method !== "GET") return false
    // At another host, the path may belong to a custom domain.
    const domain = domainOf(headers.host)
    if (domain !== null && domain !== own) return false
    const start = clock.unsafeCurrentTimeNanos()
    response.writeHead(200, {
      ...protection,
      ...secure(headers.host),
      "content-type": "application/json",
      "content-length": body.length,
      "x-request-id": randomUUID()
    }).end(body)
    measure(healthPath, 200, Number(clock.unsafeCurrentTimeNanos() - start) / 1e9)
    return true
  }
})
