/** An HTTP request and its redirects. Each hop is vetted; one time limit covers all of them. */
import { Either } from "effect"
import type { X509Certificate } from "node:crypto"
import type { Evidence } from "../../schema/check/Check.ts"
import { expiryOf, explainDistrust } from "../domain/check/answer/Certificates.ts"
import { type CookieJar, cookiesFor, emptyJar, keepCookies } from "../domain/check/answer/CookieJar.ts"
import { type Hop, isRedirect, loopOf, nextHop } from "../domain/check/answer/Redirect.ts"
import { bareHost } from "../egress/Connection.ts"
import { failed } from "../egress/ConnectionFailures.ts"
import { BlockedTarget, type EgressFailure, type EgressGuard, type RequestFailed } from "../egress/EgressGuard.ts"
import { type Exchange, startExchange } from "../egress/HttpExchange.ts"

/** The name of checks at the servers that they check. */
export const userAgent = "Belltower/1.0 (+https://belltower.dev)"

const maxRedirects = 10

interface ChainLimits {
  readonly followRedirects: boolean
  readonly timeoutMs: number
  readonly readLimit: number
  readonly keepLimit: number
  /** Requests are sent also to hosts whose certificate is not trusted. Default false. */
  readonly opensDistrusted?: boolean
}

interface Distrusted {
  /** Node's code. */
  readonly code: string
  readonly certificate: X509Certificate | null
  readonly message: string
}

type Redirected = Evidence["redirects"][number]

/** The hops so far. */
interface Hops {
  readonly redirects: ReadonlyArray<Redirected>
  /** The certificate of all hops that expires first. */
  readonly certificate: X509Certificate | null
  /** The first hop whose certificate is not trusted; null if all are. */
  readonly distrusted: Distrusted | null
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

const distrustedOf = (hop: Hop, { certificate, distrust }: Exchange): Distrusted | null =>
  distrust === null
    ? null
    : { code: distrust, certificate, message: explainDistrust(distrust, bareHost(hop.url.hostname), certificate) }

const earliestExpiring = (one: X509Certificate | null, other: X509Certificate | null): X509Certificate | null =>
  one === null || (other !== null && expiryOf(other) < expiryOf(one)) ? other : one

const startOfChain: SoFar = { redirects: [], certificate: null, distrusted: null, totalMs: 0, cookies: emptyJar }

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

const withCookies = (hop: Hop, jar: CookieJar): Hop => {
  const cookie = jar.length === 0 ? null : cookiesFor(jar, hop.url, hop.headers["cookie"])
  return cookie === null ? hop : { ...hop, headers: { ...hop.headers, cookie } }
}

/** Right: the next request and the state so far. Left: the finished chain. */
const advance = (
  limits: ChainLimits,
  hop: Hop,
  before: SoFar,
  last: Exchange,
  now: number
): Either.Either<readonly [Hop, SoFar], Chain> => {
  const certificate = earliestExpiring(before.certificate, last.certificate)
  const totalMs = before.totalMs + last.totalMs
  const distrusted = before.distrusted ?? distrustedOf(hop, last)
  const endOfChain = { hop, last, redirects: before.redirects, certificate, distrusted, totalMs }
  const end = (failure: EgressFailure | null) => Either.left({ ...endOfChain, failure: withOrigin(failure, before.redirects) })

  const status = last.response?.statusCode ?? 0
  if (last.failure !== null || !limits.followRedirects || !isRedirect(status)) return end(last.failure)
  const location = last.response?.headers.location
  if (location === undefined) return end(null)
  if (before.redirects.length === maxRedirects) {
    return Either.left({ ...endOfChain, failure: tooManyRedirects(before.redirects, hop.url.href) })
  }
  const redirects = [...before.redirects, { statusCode: status, url: hop.url.href }]
  return Either.match(nextHop(hop, status, location), {
    onLeft: (message) => Either.left({ ...endOfChain, failure: failed("protocol_error", message) }),
    onRight: (next) => {
      const cookies = keepCookies(before.cookies, hop.url, last.response?.headers["set-cookie"] ?? [], now)
      return Either.right([next, { redirects, certificate, distrusted, totalMs, cookies }] as const)
    }
  })
}

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
      { ...withCookies(hop, before.cookies), ...limits, spentMs: before.totalMs },
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
