/** Requests to services whose answers are bounded: through the egress guard, over a few redirects. */
import { Effect } from "effect"
import { webUrl } from "../../schema/UrlText.ts"
import type { ResponseHead } from "../domain/check/answer/ResponseHead.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"
import { exchange, type ExchangeRequest } from "../egress/HttpExchange.ts"

const mostRedirects = 3

/** The response says with its head where to ask. */
const leadsOn = ({ headers, statusCode }: Pick<ResponseHead, "headers" | "statusCode">): boolean =>
  statusCode >= 300 && statusCode !== 304 && statusCode <= 399 && headers.location !== undefined

interface BoundedRequest
  extends Pick<ExchangeRequest, "url" | "headers" | "timeoutMs">, Partial<Pick<ExchangeRequest, "method" | "body">>
{
  /** Bytes of the body that are read; with 0, the head is the answer. */
  readonly limit: number
}

export const requestBounded = (guard: EgressGuard, { limit, ...request }: BoundedRequest) =>
  exchange(guard, {
    method: "GET",
    body: null,
    ...request,
    spentMs: 0,
    readLimit: limit,
    keepLimit: limit,
    isEnough: ({ response }, answer) => answer(limit === 0 || (response !== null && leadsOn(response)))
  })

/** The answer after redirects; null if they do not end, or lead elsewhere than to http. `isHome`: no other origin was asked before. */
export const followRedirects = Effect.fnUntraced(function*<
  A extends { readonly status: number; readonly headers: ResponseHead["headers"] },
  E
>(first: URL, ask: (url: URL, isHome: boolean) => Effect.Effect<A, E>) {
  let url = first
  let isHome = true
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const answer: A = yield* ask(url, isHome)
    const { location } = answer.headers
    if (location === undefined || !leadsOn({ ...answer, statusCode: answer.status })) return answer
    const next = webUrl(location, url)
    if (next === null) return null
    isHome = isHome && next.origin === url.origin
    url = next
  }
  return null
})
