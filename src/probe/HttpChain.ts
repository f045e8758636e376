/** An HTTP request and its redirects. Each hop is vetted; one time limit covers all of them. */
import { Either } from "effect"
import type { X509Certificate } from "node:crypto"
import { expiryOf } from "../domain/check/Certificates.ts"
import { isRedirect, nextHop } from "../domain/check/Redirect.ts"
import type { Hop } from "../domain/check/Redirect.ts"
import { RequestFailed } from "../egress/EgressGuard.ts"
import type { BlockedTarget, EgressGuard } from "../egress/EgressGuard.ts"
import { startExchange } from "../egress/HttpExchange.ts"
import type { Exchange } from "../egress/HttpExchange.ts"

const maxRedirects = 10

export interface ChainLimits {
  readonly followRedirects: boolean
  readonly timeoutMs: number
  readonly readLimit: number
  readonly keepLimit: number
}

/** A URL that answered with a redirect, and its status. */
interface Redirected {
  readonly statusCode: number
  readonly url: string
}

export interface Chain {
  readonly failure: BlockedTarget | RequestFailed | null
  /** The final request; `last` is its exchange. */
  readonly hop: Hop
  readonly last: Exchange
  readonly redirects: ReadonlyArray<Redirected>
  /** The certificate of all hops that expires first. */
  readonly certificate: X509Certificate | null
  readonly totalMs: number
}

const earliestExpiring = (one: X509Certificate | null, other: X509Certificate | null): X509Certificate | null =>
  one === null || (other !== null && expiryOf(other) < expiryOf(one)) ? other : one

interface SoFar {
  readonly redirects: ReadonlyArray<Redirected>
  readonly certificate: X509Certificate | null
  readonly totalMs: number
}

const startOfChain: SoFar = { redirects: [], certificate: null, totalMs: 0 }

/** Right: the next request and the state so far. Left: the finished chain. */
const advance = (limits: ChainLimits, hop: Hop, before: SoFar, last: Exchange): Either.Either<readonly [Hop, SoFar], Chain> => {
  const certificate = earliestExpiring(before.certificate, last.certificate)
  const totalMs = before.totalMs + last.totalMs
  const end = (failure: Chain["failure"]) =>
    Either.left({ failure, hop, last, redirects: before.redirects, certificate, totalMs })

  const status = last.response?.statusCode ?? 0
  if (last.failure !== null || !limits.followRedirects || !isRedirect(status)) return end(last.failure)
  const location = last.response?.headers.location
  if (location === undefined) return end(null)
  if (before.redirects.length === maxRedirects) {
    return end(
      new RequestFailed({
        cause: "redirect_limit",
        message: `More than ${maxRedirects} redirects, the last from ${hop.url.href}`
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
 * Sends a request and follows at most ten redirects, all within one time limit. Calls `done` once; Left is a defect of this
 * module. Returns a function that cancels.
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
  giveUp = step(first, startOfChain)
  return () => giveUp()
}
