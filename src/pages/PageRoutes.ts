/** The welcome page at `/`, status pages at `/s/{slug}`, and the paths below them. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer, Option } from "effect"
import { NotFound, Unavailable } from "../../schema/Errors.ts"
import type { Language } from "../../schema/page/Page.ts"
import { clientNetwork } from "../domain/access/TrustedProxies.ts"
import { languageOf, preferredLanguage, subscriptionWords, wordsIn } from "../domain/page/Languages.ts"
import { asksForPassword } from "../domain/page/PagePassword.ts"
import { lowerCaseSlug } from "../domain/page/Slug.ts"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { linksFrom } from "../links/Links.ts"
import { PublicPages } from "../operations/page/PublicPages.ts"
import { answer, cachingOf } from "./Answer.ts"
import { showPasswordPage } from "./html/PasswordPage.tsx"
import { renderNotice, renderWelcome } from "./html/Render.tsx"
import { showSheet } from "./html/Sheet.tsx"
import { renderLockedEmbed } from "./html/SubPages.tsx"
import { SubscriptionNote } from "./html/SubscriptionPages.tsx"
import { LiveVisitors } from "./LiveVisitors.ts"
import { type PagePart, pageParts } from "./PageParts.ts"
import { PageReader } from "./PageReader.ts"
import { PageViews } from "./PageViews.ts"

export const notice = (kind: "notFound" | "unavailable", language: Language, framed = false) =>
  answer(renderNotice(kind, language, framed), {
    status: kind === "notFound" ? 404 : 503,
    cacheControl: "no-store",
    headers: kind === "notFound" ? {} : { "retry-after": "10" }
  })

/** Redirects a path such as `/s/ACME/history?month=2026-11` to its lower-case form, whether or not that page exists. */
const redirect = (slug: string, url: string) =>
  HttpServerResponse.empty({
    status: 308,
    headers: { location: url.replace(/^\/s\/[^/?]+/, `/s/${slug}`), "cache-control": "public, max-age=86400" }
  })

interface Services {
  readonly baseUrl: string
  readonly visitors: LiveVisitors
  readonly pages: PublicPages
  readonly views: PageViews
}

/** The path below a page; null for the page itself. */
const belowOf = (url: string): string | null => {
  const below = url.replace(/^\/s\/[^/?]+\/?/, "/")
  return /^\/(?:\?|$)/.test(below) ? null : below
}

/** Asks for the password of a page that has one; else says that there is no page. */
const closed = ({ baseUrl, pages }: Services, slug: string, acceptLanguage: string | undefined, framed: boolean) =>
  Effect.matchEffect(pages.any(slug), {
    onFailure: () => notice("notFound", preferredLanguage(acceptLanguage), framed),
    onSuccess: ({ snapshot: { page } }) => {
      if (!asksForPassword(page)) return notice("notFound", preferredLanguage(acceptLanguage), framed)
      const url = linksFrom(baseUrl).page(page)
      const language = languageOf(page.settings.language, acceptLanguage)
      return framed
        ? answer(renderLockedEmbed({ theme: page.theme, url }, language), { status: 401, cacheControl: "no-store", headers: {} })
        : Effect.map(
          HttpServerRequest.HttpServerRequest,
          (request) => showPasswordPage({ page, url, below: belowOf(request.url), service: baseUrl, language })
        )
    }
  })

/** A page says in its language and style that it has no such part, and leads back to itself. Programs get the failure. */
const missingPart = ({ baseUrl }: Services, { page }: Snapshot, failure: NotFound) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    const accepted = headers["accept"] ?? ""
    if (accepted.includes("json") && !accepted.includes("text/html")) return Effect.fail(failure)
    const language = languageOf(page.settings.language, headers["accept-language"])
    const url = linksFrom(baseUrl).page(page)
    const { missingText: text, missingTitle: title } = wordsIn(language)
    const body = SubscriptionNote({ text, url, words: subscriptionWords(language) })
    return Effect.succeed(showSheet({ page: { ...page, url, service: baseUrl }, title, status: 404, language, body }))
  })

const noSuchPart = new NotFound({ message: "This status page has no such part" })

const otherPath = Effect.fnUntraced(function*(services: Services) {
  const { slug = "" } = yield* HttpRouter.params
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!(request.headers["accept"] ?? "").includes("text/html")) return yield* noSuchPart
  return yield* shown(services, slug, request.headers["accept-language"], () => noSuchPart)
})

/** Shows the response to a page's snapshot, or a notice. A page has one address: another case of its slug leads there. */
const shown = <R>(
  services: Services,
  slug: string,
  acceptLanguage: string | undefined,
  respond: (
    snapshot: Snapshot,
    stale: boolean
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound | Unavailable, R>,
  framed = false
) => {
  const lowerCase = lowerCaseSlug(slug)
  if (lowerCase !== slug) {
    return Effect.map(HttpServerRequest.HttpServerRequest, ({ originalUrl }) => redirect(lowerCase, originalUrl))
  }
  const unavailable = () => notice("unavailable", preferredLanguage(acceptLanguage), framed)
  return Effect.flatMap(PageReader, (reader) => services.pages.getFor(slug, reader)).pipe(
    Effect.matchEffect({
      onFailure: (failure) => failure instanceof Unavailable ? unavailable() : closed(services, slug, acceptLanguage, framed),
      onSuccess: ({ snapshot, stale }) =>
        Effect.catchTags(respond(snapshot, stale), {
          not_found: (failure) => missingPart(services, snapshot, failure),
          unavailable
        })
    })
  )
}

// Untraced: the hot path of everybody who looks at a page during an outage.
const statusPage = Effect.fnUntraced(function*(services: Services) {
  const { slug = "" } = yield* HttpRouter.params
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const acceptLanguage = headers["accept-language"]
  return yield* shown(services, slug, acceptLanguage, (snapshot, stale) =>
    Effect.flatMap(
      services.views.html(snapshot, acceptLanguage, stale),
      ({ document, isOlder }) => answer(document, { status: 200, ...cachingOf(snapshot, stale || isOlder) })
    ))
})

const partOf = ({ form, framed, shared }: PagePart) =>
  Effect.fnUntraced(function*(services: Services) {
    const params = yield* HttpRouter.params
    const query = yield* HttpServerRequest.ParsedSearchParams
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const acceptLanguage = headers["accept-language"]
    const respond = (snapshot: Snapshot, stale: boolean) =>
      Effect.gen(function*() {
        const asked = yield* form({ snapshot, acceptLanguage, params, query })
        const { document, isOlder } = yield* services.views.of(snapshot, asked)
        const caching = cachingOf(snapshot, stale || isOlder)
        const open: Readonly<Record<string, string>> = shared ? { "access-control-allow-origin": "*" } : {}
        return yield* answer(document, {
          status: 200,
          cacheControl: caching.cacheControl,
          headers: { ...caching.headers, ...open }
        })
      })
    return yield* shown(services, params["slug"] ?? "", acceptLanguage, respond, framed)
  })

/** Proxies must neither store nor buffer the stream. */
const streamHeaders = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }

const addressOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  Option.match(remoteAddress, { onNone: () => "unknown", onSome: clientNetwork })

/** Notifies an open page of changes. A browser that is refused does not come back, and its page polls. */
const live = Effect.fn("StatusPage.live")(function*(services: Services) {
  const { slug = "" } = yield* HttpRouter.params
  const request = yield* HttpServerRequest.HttpServerRequest
  return yield* shown(services, slug, request.headers["accept-language"], (snapshot) =>
    Effect.map(
      services.visitors.enter(slug, snapshot, addressOf(request)),
      (stream) => HttpServerResponse.raw(stream, { contentType: "text/event-stream", headers: streamHeaders })
    ).pipe(
      Effect.catchTag("rate_limited", ({ message }) =>
        Effect.succeed(
          HttpServerResponse.text(message, { status: 429, headers: { "retry-after": "30", "cache-control": "no-store" } })
        ))
    ))
})

const welcome = (baseUrl: string) => {
  const document = renderWelcome(baseUrl)
  return answer(document, { status: 200, cacheControl: "public, max-age=300", headers: {} })
}

/** Adds the pages to the router. HEAD gets the headers of GET without the body. */
export const layer: Layer.Layer<never, never, LiveVisitors | PublicPages | PageViews | BaseUrl> = HttpApiBuilder
  .Router.use(
    (router) =>
      Effect.gen(function*() {
        const services: Services = {
          baseUrl: yield* BaseUrl,
          visitors: yield* LiveVisitors,
          pages: yield* PublicPages,
          views: yield* PageViews
        }
        yield* router.get("/", welcome(services.baseUrl))
        yield* router.get("/s/:slug", statusPage(services))
        yield* router.get("/s/:slug/live", live(services))
        yield* Effect.forEach(pageParts, (part) => router.get(`/s/:slug${part.path}`, partOf(part)(services)), { discard: true })
        yield* router.get("/s/:slug/*", otherPath(services))
      })
  )
