/** An HTTP request and its redirects. Each hop is vetted; one time limit covers all of them. */
import { Either } from "effect"
import type { X509Certificate } from "node:crypto"
import type { Evidence } from "../../../schema/check/Check.ts"
import { pathExpiry, type TrustPath } from "../../domain/check/answer/Certificates.ts"
import { type CookieJar, cookiesFor, emptyJar, keepCookies } from "../../domain/check/answer/CookieJar.ts"
import { type Hop, isRedirect, isSameParty, loopOf, nextHop } from "../../domain/check/answer/Redirect.ts"
import { bareHost } from "../../egress/Connection.ts"
import { failed } from "../../egress/ConnectionFailures.ts"
import { BlockedTarget, type EgressFailure, type EgressGuard, type RequestFailed } from "../../egress/EgressGuard.ts"
import { type Exchange, startExchange } from "../../egress/HttpExchange.ts"
import type { TlsSettings } from "../../egress/TlsTrust.ts"

/** The name of checks at the servers that they check. */
export const userAgent = "Belltower/1.0 (+https://belltower.dev)"

const maxRedirects = 10

interface ChainLimits {
  readonly followRedirects: boolean
  readonly timeoutMs: number
  /** The part of `timeoutMs` that requests before the chain have used, ms; default 0. */
  readonly spentMs?: number
  readonly readLimit: number
  readonly keepLimit: number
  /** Given by checks. */
  readonly tls?: TlsSettings
  /** Says whether the rest of the last body, which has not ended, is of no use. Default: it is awaited. */
  readonly isEnough?: (soFar: Chain, answer: (isEnough: boolean) => void) => void
  /** The first pause before that is asked again, ms. Default: half a second. */
  readonly leastPauseMs?: number
}

/** The certificates that the server of a hop showed. */
interface Served {
  readonly host: string
  readonly certificate: X509Certificate
  readonly path: TrustPath
  /** Node's code of the reason not to trust it; null if it is trusted. */
  readonly distrust: string | null
  readonly tlsVersion: string | null
}

type Redirected = Evidence["redirects"][number]

/** The hops so far. */
interface Hops {
  readonly redirects: ReadonlyArray<Redirected>
  /** The hops with TLS, in order. */
  readonly served: ReadonlyArray<Served>
  readonly totalMs: number
}

export interface Chain extends Hops {
  readonly failure: EgressFailure | null
  /** The final request; `last` is its exchange. */
  readonly hop: Hop
  readonly last: Exchange
}

interface SoFar extends Hops {
  readonly cookies: CookieJar
}

const servedBy = ({ url }: Hop, { certificate, distrust, path, tlsVersion }: Exchange): ReadonlyArray<Served> =>
  certificate === null || path === null ? [] : [{ host: bareHost(url.hostname), certificate, path, distrust, tlsVersion }]

/** The hop whose trust ends first; null without TLS. */
export const firstToEnd = (served: ReadonlyArray<Served>): Served | null =>
  served.reduce<Served | null>((one, other) => one === null || pathExpiry(other.path) < pathExpiry(one.path) ? other : one, null)

const startOfChain: SoFar = { redirects: [], served: [], totalMs: 0, cookies: emptyJar }

/** A failure after a redirect names the URL that redirected: the failing one is not in the monitor's settings. */
const withOrigin = (failure: EgressFailure | null, redirects: ReadonlyArray<Redirected>): EgressFailure | null => {
  const from = redirects.at(-1)
  if (failure === null || from === undefined) return failure
  const after = `, after the redirect from ${from.url}`
  return failure._tag === "BlockedTarget"
    ? new BlockedTarget({ host: failure.host, address: failure.address, isPublicService: failure.isPublicService, after })
    : failed(failure.cause, failure.message + after)
}

const tooManyRedirects = (redirects: ReadonlyArray<Redirected>, last: string): RequestFailed => {
  const loop = loopOf([...redirects.map(({ url }) => url), last])
  return failed(
    "redirect_limit",
    loop === null ? `More than ${maxRedirects} redirects, the last from ${last}` : `Redirect loop: ${loop.join(", ")}`
  )
}

const withCookies = ({ headers, url }: Hop, jar: CookieJar): Hop["headers"] => {
  const cookie = jar.length === 0 ? null : cookiesFor(jar, url, headers["cookie"])
  return cookie === null ? headers : { ...headers, cookie }
}

/** The chain if it ends with this exchange. */
const chainTo = (hop: Hop, before: SoFar, last: Exchange): Chain => ({
  failure: withOrigin(last.failure, before.redirects),
  hop,
  last,
  redirects: before.redirects,
  served: [...before.served, ...servedBy(hop, last)],
  totalMs: before.totalMs + last.totalMs
})

/** Where a response leads, if that is followed. */
const locationOf = ({ followRedirects }: ChainLimits, { response }: Exchange): string | undefined =>
  followRedirects && response !== null && isRedirect(response.statusCode) ? response.headers.location : undefined

/** Right: the next request and the state so far. Left: the finished chain. */
const advance = (
  limits: ChainLimits,
  hop: Hop,
  before: SoFar,
  last: Exchange,
  now: number
): Either.Either<readonly [Hop, SoFar], Chain> => {
  const endOfChain = chainTo(hop, before, last)
  const location = locationOf(limits, last)
  if (last.failure !== null || location === undefined) return Either.left(endOfChain)
  const { served, totalMs } = endOfChain
  const status = last.response?.statusCode ?? 0
  if (before.redirects.length === maxRedirects) {
    return Either.left({ ...endOfChain, failure: tooManyRedirects(before.redirects, hop.url.href) })
  }
  const redirects = [...before.redirects, { statusCode: status, url: hop.url.href }]
  return Either.match(nextHop(hop, status, location), {
    onLeft: (message) => Either.left({ ...endOfChain, failure: failed("protocol_error", message) }),
    onRight: (next) => {
      const cookies = keepCookies(before.cookies, hop.url, last.response?.headers["set-cookie"] ?? [], now)
      return Either.right([next, { redirects, served, totalMs, cookies }] as const)
    }
  })
}

/** The client's certificate goes to the monitor's own target only, like its other credentials. */
const tlsFor = (tls: TlsSettings | undefined, first: Hop, hop: Hop): TlsSettings | undefined =>
  tls === undefined || tls.identity === null || isSameParty(first.url, hop.url) ? tls : { ...tls, identity: null }

/** Follows at most ten redirects within one time limit. Calls `done` once; Left is a defect. Returns a function that cancels. */
export const follow = (
  guard: EgressGuard,
  limits: ChainLimits,
  first: Hop,
  now: () => number,
  done: (chain: Either.Either<Chain, unknown>) => void
): () => void => {
  let giveUp: () => void
  const step = (hop: Hop, before: SoFar): () => void =>
    startExchange(
      guard,
      {
        url: hop.url,
        method: hop.method,
        headers: withCookies(hop, before.cookies),
        body: hop.body,
        timeoutMs: limits.timeoutMs,
        readLimit: limits.readLimit,
        keepLimit: limits.keepLimit,
        leastPauseMs: limits.leastPauseMs,
        tls: tlsFor(limits.tls, first, hop),
        spentMs: (limits.spentMs ?? 0) + before.totalMs,
        isEnough: (seen, answer) => {
          // A redirect has said everything with its head.
          if (locationOf(limits, seen) !== undefined) answer(true)
          else if (limits.isEnough === undefined) answer(false)
          else limits.isEnough(chainTo(hop, before, seen), answer)
        }
      },
      (last) =>
        Either.match(Either.try(() => advance(limits, hop, before, last, now())), {
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
