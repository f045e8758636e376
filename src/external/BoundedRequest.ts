/** Requests to services whose answers are bounded: through the egress guard, over a few redirects. */
import { Effect } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import type { EgressGuard } from "../egress/EgressGuard.ts"
import { exchange, type ExchangeRequest } from "../egress/HttpExchange.ts"

const mostRedirects = 3

interface BoundedRequest
  extends Pick<ExchangeRequest, "url" | "headers" | "timeoutMs">, Partial<Pick<ExchangeRequest, "method" | "body">>
{
  readonly limit: number
}

export const requestBounded = (guard: EgressGuard, { limit, ...request }: BoundedRequest) =>
  exchange(guard, { method: "GET", body: null, ...request, spentMs: 0, readLimit: limit, keepLimit: limit })

/** The answer after redirects; null if they do not end, or lead elsewhere than to http. `isHome`: no other origin was asked before. */
export const followRedirects = Effect.fnUntraced(function*<
  A extends { readonly status: number; readonly headers: IncomingHttpHeaders },
  E
>(first: URL, ask: (url: URL, isHome: boolean) => Effect.Effect<A, E>) {
  let url = first
  let isHome = true
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const answer: A = yield* ask(url, isHome)
    const { location } = answer.headers
    if (answer.status < 300 || answer.status === 304 || answer.status > 399 || location === undefined) return answer
    if (!URL.canParse(location, url.href)) return null
    const next: URL = new URL(location, url)
    if (!/^https?:$/.test(next.protocol)) return null
    isHome = isHome && next.origin === url.origin
    url = next
  }
  return null
})
