/** Answers with a rendered document: compressed where the client takes it, and not at all where it has it already. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { plainBody, type WebDocument } from "./WebDocument.ts"

export interface AnswerOptions {
  readonly status: number
  readonly cacheControl: string
  readonly headers: Readonly<Record<string, string>>
}

/** Whether an `Accept-Encoding` header allows gzip (RFC 9110, section 12.5.3). */
const takesGzip = (accepted: string | undefined) =>
  /(?:^|[,\s])(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(accepted ?? "")

const opaque = (tag: string) => tag.replace(/^W\//, "")

/** Weak comparison with any of the validators that the client holds. */
const holds = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(",").map((tag) => tag.trim()).some((tag) => tag === "*" || opaque(tag) === opaque(etag))

export const answer = (document: WebDocument, { cacheControl, headers, status }: AnswerOptions) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const common = {
      "cache-control": cacheControl,
      etag: document.etag,
      vary: "accept-encoding, accept-language",
      "x-content-type-options": "nosniff",
      "referrer-policy": "strict-origin-when-cross-origin",
      ...(document.lastModified === null ? {} : { "last-modified": document.lastModified }),
      ...(document.contentSecurityPolicy === null ? {} : { "content-security-policy": document.contentSecurityPolicy }),
      ...headers
    }
    if (status === 200 && holds(request.headers["if-none-match"], document.etag)) {
      return HttpServerResponse.empty({ status: 304, headers: common })
    }
    const compressed = takesGzip(request.headers["accept-encoding"])
    return HttpServerResponse.uint8Array(compressed ? document.gzip : plainBody(document), {
      status,
      contentType: document.contentType,
      headers: compressed ? { ...common, "content-encoding": "gzip" } : common
    })
  })

/** How a public status may be kept: polling faster gains nothing, and an old one beats none. */
export const publicCaching = (stale: boolean): Pick<AnswerOptions, "cacheControl" | "headers"> => ({
  cacheControl: `public, max-age=${stale ? 5 : 30}, stale-if-error=86400`,
  headers: stale ? { "x-belltower-stale": "1" } : {}
})
