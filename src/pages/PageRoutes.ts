/** The HTML pages: the welcome page at `/`, status pages at `/s/{slug}`. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import type { Language } from "../../schema/page/Page.ts"
import { preferredLanguage } from "../domain/page/Languages.ts"
import { lowerCaseSlug } from "../domain/page/Slug.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { PublicPages } from "../operations/page/PublicPages.ts"
import { answer, publicCaching } from "./Answer.ts"
import { renderNotice, renderWelcome } from "./html/Render.tsx"
import { PageViews } from "./PageViews.ts"

const notice = (kind: "notFound" | "unavailable", language: Language) =>
  answer(renderNotice(kind, language), {
    status: kind === "notFound" ? 404 : 503,
    cacheControl: "no-store",
    headers: kind === "notFound" ? {} : { "retry-after": "10" }
  })

/** Redirects a path such as `/s/ACME?theme=dark` to its lower-case form, whether or not that page exists. */
const redirect = (slug: string, url: string) => {
  const query = url.indexOf("?")
  return HttpServerResponse.empty({
    status: 308,
    headers: { location: `/s/${slug}${query < 0 ? "" : url.slice(query)}`, "cache-control": "public, max-age=86400" }
  })
}

const statusPage = Effect.fn("StatusPage.get")(function*(pages: PublicPages, views: PageViews) {
  const { slug = "" } = yield* HttpRouter.params
  const { headers, originalUrl } = yield* HttpServerRequest.HttpServerRequest
  const lowerCase = lowerCaseSlug(slug)
  if (lowerCase !== slug) return redirect(lowerCase, originalUrl)
  const acceptLanguage = headers["accept-language"]
  return yield* pages.get(slug).pipe(
    Effect.flatMap(({ snapshot, stale }) =>
      Effect.flatMap(
        views.html(snapshot, acceptLanguage, stale),
        (document) => answer(document, { status: 200, ...publicCaching(stale) })
      )
    ),
    Effect.catchTags({
      not_found: () => notice("notFound", preferredLanguage(acceptLanguage)),
      unavailable: () => notice("unavailable", preferredLanguage(acceptLanguage))
    })
  )
})

const welcome = (baseUrl: string) => {
  const document = renderWelcome(baseUrl)
  return answer(document, { status: 200, cacheControl: "public, max-age=300", headers: {} })
}

/** Adds the pages to the router. HEAD gets the headers of GET without the body. */
export const layer: Layer.Layer<never, never, PublicPages | PageViews | BaseUrl> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    yield* router.get("/", welcome(yield* BaseUrl))
    yield* router.get("/s/:slug", statusPage(yield* PublicPages, yield* PageViews))
  })
)
