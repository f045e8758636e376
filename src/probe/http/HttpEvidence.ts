/** Assembles the evidence of an http check: truncated, with secrets masked, and free of text that PostgreSQL rejects. */
import { Effect } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import type { AssertionResult, Evidence } from "../../../schema/check/Check.ts"
import { describeCertificate } from "../../domain/check/answer/Certificates.ts"
import { shownHeader } from "../../domain/check/answer/ResponseHead.ts"
import { maskCookie, maskSecrets } from "../../domain/check/answer/SecretMask.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { type DecodedBody, decodedBody } from "../../egress/BodyDecoder.ts"
import { cleanResults } from "../ProbeResult.ts"
import { type Chain, firstToEnd } from "./HttpChain.ts"

/** Maximum size of the body in evidence, bytes. */
export const evidenceBodyLimit = 16_384

/** The part of a text that evidence can show, plus enough that masking sees a secret at its end as a whole. */
const head = (text: string, secrets: ReadonlyArray<string>): string =>
  text.slice(0, 2 * evidenceBodyLimit + Math.max(0, ...secrets.map((secret) => secret.length)))

interface Seen {
  readonly chain: Chain
  readonly secrets: ReadonlyArray<string>
  readonly assertions: ReadonlyArray<AssertionResult>
  /** The body, if judging has already decoded it. */
  readonly body: DecodedBody | null
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Maximum size of the headers in evidence: of one value, and together, characters. */
const longestHeader = 4000
const longestHeaders = 32_768

export const headersOf = (
  headers: IncomingHttpHeaders,
  secrets: ReadonlyArray<string>,
  clean: (text: string) => string
): Record<string, string> => {
  let left = longestHeaders
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const whole = shownHeader(Array.isArray(value) ? value.map(maskCookie) : value) ?? ""
      // Mask before truncating, as with the body.
      const masked = clean(head(whole, secrets))
      const shown = masked.length > longestHeader ? `${masked.slice(0, longestHeader - 1)}…` : masked
      left -= name.length + shown.length
      return left < 0 ? [] : [[name, shown]]
    })
  )
}

export const evidenceOf = ({ assertions, body, chain, now, secrets }: Seen): Effect.Effect<Evidence> => {
  const { hop, last, redirects, served } = chain
  // A certificate that is refused now says more than the one that expires first.
  const shown = served.find(({ distrust }) => distrust !== null) ?? firstToEnd(served)
  const clean = (text: string): string => storable(maskSecrets(secrets, text))
  // URLs of the target's own, such as where it redirects, may hold secrets that the request did not.
  const cleanUrls = (text: string): string => clean(maskUrls(text))
  const headers = last.response?.headers ?? {}
  const decoded = body === null ? decodedBody(last, evidenceBodyLimit + 1) : Effect.succeed(body)
  return Effect.map(decoded, ({ complete, text }) => ({
    request: { method: hop.method, url: cleanUrls(hop.url.href) },
    remoteAddress: last.address,
    responseHeaders: headersOf(headers, secrets, cleanUrls),
    // Mask before truncating: otherwise half of a secret could remain at the end.
    body: last.response === null ? null : clean(clean(head(text, secrets)).slice(0, evidenceBodyLimit)),
    bodyTruncated: last.response !== null && (!complete || text.length > evidenceBodyLimit),
    redirects: redirects.map(({ statusCode, url }) => ({ statusCode, url: cleanUrls(url) })),
    certificate: shown === null ? null : describeCertificate(shown.certificate, shown.distrust, shown.tlsVersion, now),
    assertions: cleanResults(assertions, cleanUrls)
  }))
}
