/** A request and the redirects it leads through, each of them vetted, timed and limited together. */
import type { X509Certificate } from "node:crypto"
import { Effect, Either } from "effect"
import { expiryOf } from "../domain/Certificates.ts"
import { isRedirect, nextHop } from "../domain/Redirect.ts"
import type { Hop } from "../domain/Redirect.ts"
import { RequestFailed } from "../egress/EgressGuard.ts"
import type { BlockedTarget, EgressGuard } from "../egress/EgressGuard.ts"
import { exchange } from "../egress/HttpExchange.ts"
import type { Exchange } from "../egress/HttpExchange.ts"

const mostRedirects = 10

export interface ChainLimits {
  readonly followRedirects: boolean
  readonly timeoutMs: number
  readonly readLimit: number
  readonly keepLimit: number
}

/** Where a redirect was answered, and with which status. */
export interface Redirected {
  readonly statusCode: number
  readonly url: string
}

export interface Chain {
  readonly failure: BlockedTarget | RequestFailed | null
  /** The final request and what came of it. */
  readonly hop: Hop
  readonly last: Exchange
  readonly redirects: ReadonlyArray<Redirected>
  /** Of all hops, the certificate that expires first. */
  readonly certificate: X509Certificate | null
  readonly totalMs: number
}

const soonest = (one: X509Certificate | null, other: X509Certificate | null): X509Certificate | null =>
  one === null || (other !== null && expiryOf(other) < expiryOf(one)) ? other : one

interface SoFar {
  readonly redirects: ReadonlyArray<Redirected>
  readonly certificate: X509Certificate | null
  readonly totalMs: number
}

const nothing: SoFar = { redirects: [], certificate: null, totalMs: 0 }

const step = (guard: EgressGuard, limits: ChainLimits, hop: Hop, before: SoFar): Effect.Effect<Chain> =>
  Effect.flatMap(exchange(guard, { ...hop, ...limits, spentMs: before.totalMs }), (last) => {
    const certificate = soonest(before.certificate, last.certificate)
    const totalMs = before.totalMs + last.totalMs
    const end = (failure: Chain["failure"]): Effect.Effect<Chain> =>
      Effect.succeed({ failure, hop, last, redirects: before.redirects, certificate, totalMs })

    const status = last.response?.statusCode ?? 0
    if (last.failure !== null || !limits.followRedirects || !isRedirect(status)) return end(last.failure)
    const location = last.response?.headers.location
    if (location === undefined) return end(null)
    if (before.redirects.length === mostRedirects) {
      return end(new RequestFailed({ cause: "redirect_limit", message: `More than ${mostRedirects} redirects, the last from ${hop.url.href}` }))
    }
    return Either.match(nextHop(hop, status, location), {
      onLeft: (message) => end(new RequestFailed({ cause: "protocol_error", message })),
      onRight: (next) =>
        step(guard, limits, next, {
          redirects: [...before.redirects, { statusCode: status, url: hop.url.href }],
          certificate,
          totalMs
        })
    })
  })

/** Requests, and follows at most ten redirects. The time limit is for all of them together. */
export const follow = (guard: EgressGuard, limits: ChainLimits, first: Hop): Effect.Effect<Chain> =>
  step(guard, limits, first, nothing)
