/** A request and the redirects it leads through, each of them vetted, timed and limited together. */
import { Either } from "effect"
import type { X509Certificate } from "node:crypto"
import { expiryOf } from "../domain/check/Certificates.ts"
import { isRedirect, nextHop } from "../domain/check/Redirect.ts"
import type { Hop } from "../domain/check/Redirect.ts"
import { RequestFailed } from "../egress/EgressGuard.ts"
import type { BlockedTarget, EgressGuard } from "../egress/EgressGuard.ts"
import { startExchange } from "../egress/HttpExchange.ts"
import type { Exchange } from "../egress/HttpExchange.ts"

const mostRedirects = 10

export interface ChainLimits {
  readonly followRedirects: boolean
  readonly timeoutMs: number
  readonly readLimit: number
  readonly keepLimit: number
}

/** Where a redirect was answered, and with which status. */
interface Redirected {
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

/** The next request on the right, with what was seen before it; on the left the end of the chain. */
const advance = (limits: ChainLimits, hop: Hop, before: SoFar, last: Exchange): Either.Either<readonly [Hop, SoFar], Chain> => {
  const certificate = soonest(before.certificate, last.certificate)
  const totalMs = before.totalMs + last.totalMs
  const end = (failure: Chain["failure"]) =>
    Either.left({ failure, hop, last, redirects: before.redirects, certificate, totalMs })

  const status = last.response?.statusCode ?? 0
  if (last.failure !== null || !limits.followRedirects || !isRedirect(status)) return end(last.failure)
  const location = last.response?.headers.location
  if (location === undefined) return end(null)
  if (before.redirects.length === mostRedirects) {
    return end(
      new RequestFailed({
        cause: "redirect_limit",
        message: `More than ${mostRedirects} redirects, the last from ${hop.url.href}`
      })
    )
  }
  const redirects = [...before.redirects, { statusCode: status, url: hop.url.href }]
  return Either.match(nextHop(hop, status, location), {
    onLeft: (message) => end(new RequestFailed({ cause: "protocol_error", message })),
    onRight: (next) => Either.right([next, { redirects, certificate, totalMs }] as const)
  })
}

/**
 * Requests, and follows at most ten redirects. The time limit is for all of them together. Calls back once, on the left with what
 * broke in here; returns a function that gives up.
 */
export const follow = (
  guard: EgressGuard,
  limits: ChainLimits,
  first: Hop,
  done: (chain: Either.Either<Chain, unknown>) => void
): () => void => {
  let giveUp: () => void
  const step = (hop: Hop, before: SoFar): () => void =>
    startExchange(
      guard,
      { ...hop, ...limits, spentMs: before.totalMs },
      (last) =>
        Either.match(Either.try(() => advance(limits, hop, before, last)), {
          onLeft: (defect) => done(Either.left(defect)),
          onRight: Either.match({
            onLeft: (chain) => done(Either.right(chain)),
            onRight: ([next, soFar]) => {
              giveUp = step(next, soFar)
            }
          })
        })
    )
  giveUp = step(first, nothing)
  return () => giveUp()
}
