/** Responds with a rendered document: gzip if the client accepts it, 304 if the client already has it. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import { plainBody, type WebDocument } from "./WebDocument.ts"

export interface AnswerOptions {
  readonly status: number
  readonly cacheControl: string
  readonly headers: Readonly<Record<string, string>>
}

/** Whether an `Accept-Encoding` header allows gzip (RFC 9110, section 12.5.3). */
export const acceptsGzip = (accepted: string | undefined) =>
  /(?:^|[,\s])(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(accepted ?? "")

const opaque = (tag: string) => tag.replace(/^W\//, "")

/** Weak comparison of an ETag with each validator in `If-None-Match` (RFC 9110, section 8.8.3.2). */
export const isKnown = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(",").map((tag) => tag.trim()).some((tag) => tag === "*" || opaque(tag) === opaque(etag))

/** The headers of an answer, whether or not its body follows. */
export const headersOf = (
  document: WebDocument,
  { cacheControl, headers }: Pick<AnswerOptions, "cacheControl" | "headers">
): Readonly<Record<string, string>> => ({
  "cache-control": cacheControl,
  etag: document.etag,
  vary: "accept-encoding, accept-language",
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  ...(document.lastModified === null ? {} : { "last-modified": document.lastModified }),
  ...(document.contentSecurityPolicy === null ? {} : { "content-security-policy": document.contentSecurityPolicy }),
  ...headers
})

export const answer = (document: WebDocument, { cacheControl, headers, status }: AnswerOptions) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const common = headersOf(document, { cacheControl, headers })
    if (status === 200 && isKnown(request.headers["if-none-match"], document.etag)) {
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: common }))
    }
    const zipped = acceptsGzip(request.headers["accept-encoding"])
    return Effect.map(
      zipped ? Effect.succeed(document.gzip) : plainBody(document),
      (bytes) =>
        HttpServerResponse.uint8Array(bytes, {
          status,
          contentType: document.contentType,
          headers: zipped ? { ...common, "content-encoding": "gzip" } : common
        })
    )
  })

/** Caching headers of a public status. `stale-if-error` lets caches serve an old status when the server is down. */
export const publicCaching = (stale: boolean): Pick<AnswerOptions, "cacheControl" | "headers"> => ({
  cacheControl: `public, max-age=${stale ? 5 : 30}, stale-if-error=86400`,
  headers: stale ? { "x-belltower-stale": "1" } : {}
})

/** No cache may keep content for members only. */
export const cachingOf = ({ page }: Snapshot, stale: boolean): Pick<AnswerOptions, "cacheControl" | "headers"> =>
  page.visibility === "public" ? publicCaching(stale) : { ...publicCaching(stale), cacheControl: "private, no-store" }
