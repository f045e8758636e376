/** Answers for public pages that are in memory before the router: during an outage everybody looks at the same time. */
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { PublicPages } from "../../operations/page/PublicPages.ts"
import { acceptsGzip, headersOf, isKnown, publicCaching } from "../../pages/Answer.ts"
import { formKey, htmlForm } from "../../pages/PageForm.ts"
import { PageViews } from "../../pages/PageViews.ts"
import { FastPath } from "../server/FastPath.ts"
import { measure } from "../server/HttpMetrics.ts"
import { interfaceHeaders, transport } from "../server/ResponseHeaders.ts"
import { domainOf } from "./HostRouting.ts"

/** The paths of the fast path with their labels in the metrics, the same as of the router. A query leaves it. */
const paths = [
  { pattern: /^\/s\/([a-z0-9-]{1,48})$/, label: "/s/:slug", isPage: true },
  { pattern: /^\/api\/v1\/public\/pages\/([a-z0-9-]{1,48})$/, label: "public_page_status", isPage: false }
] as const

const jsonKey = formKey({ _tag: "Json", history: true })

/** Adds itself behind the existing fast path. Pages that are not in memory, rendered and public go to the router. */
export const layer: Layer.Layer<never, never, BaseUrl | PageViews | PublicPages> = Layer.effect(
  FastPath,
  Effect.gen(function*() {
    const before = yield* FastPath
    const pages = yield* PublicPages
    const views = yield* PageViews
    const baseUrl = yield* BaseUrl
    const clock = yield* Effect.clock
    const own = new URL(baseUrl).hostname
    const secure = transport(baseUrl)

    const fastPath = (request: IncomingMessage, response: ServerResponse): boolean => {
      const { headers, method, url = "" } = request
      // At another host, the path may belong to a custom domain.
      const domain = domainOf(headers.host)
      if (method !== "GET" || (domain !== null && domain !== own) || !acceptsGzip(headers["accept-encoding"]?.toString())) {
        return false
      }
      const path = paths.find(({ pattern }) => pattern.test(url))
      const slug = path?.pattern.exec(url)?.[1]
      if (path === undefined || slug === undefined) return false
      const start = clock.unsafeCurrentTimeNanos()
      const snapshot = pages.inMemory(slug, clock.unsafeCurrentTimeMillis())
      if (snapshot === null) return false
      const key = path.isPage ? formKey(htmlForm(snapshot, headers["accept-language"], false)) : jsonKey
      const document = views.rendered(snapshot, key)
      if (document === undefined) return false
      const known = isKnown(headers["if-none-match"], document.etag)
      const sent = { ...headersOf(document, publicCaching(false)), ...secure(headers.host), "x-request-id": randomUUID() }
      const all = path.isPage ? sent : { ...interfaceHeaders, ...sent }
      measure(path.label, known ? 304 : 200, Number(clock.unsafeCurrentTimeNanos() - start) / 1e9)
      if (known) {
        response.writeHead(304, all).end()
        return true
      }
      response.writeHead(200, {
        ...all,
        "content-type": document.contentType,
        "content-encoding": "gzip",
        "content-length": document.gzip.length
      }).end(document.gzip)
      return true
    }
    return (request: IncomingMessage, response: ServerResponse) => before(request, response) || fastPath(request, response)
  })
)
