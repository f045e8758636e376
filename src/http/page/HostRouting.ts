/** Serves each status page at its custom domain: routes a request for that host to the page's paths. Knows whose page sent a form. */
import { HttpApiBuilder, type HttpApp, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, type Layer, Option } from "effect"
import { isOfHost, makeServedHosts } from "../../domain/access/ServedHosts.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { AllowedHosts, withVerdict } from "../request/RequestSite.ts"

/** Finds the slug of the page at a custom domain. The default knows none. */
export class PageHosts extends Context.Reference<PageHosts>()("belltower/PageHosts", {
  defaultValue: () => (_domain: string): Effect.Effect<Option.Option<string>> => Effect.succeed(Option.none())
}) {}

/** A host name that could be a custom domain, without its final dot: no address, no local name. */
export const domainOf = (host: string | undefined): string | null => {
  const name = (host ?? "").replace(/:\d{1,5}$/, "").replace(/\.$/, "").toLowerCase()
  return /^(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62}$/.test(name) ? name : null
}

/** The public API and the page's own paths work on every host; everything else at a custom domain is a path of its page. */
const pathAt = (slug: string, url: string): string =>
  url.startsWith("/api/v1/public/") ? url : url === "/" || url.startsWith("/?") ? `/s/${slug}${url.slice(1)}` : `/s/${slug}${url}`

/**
 * Paths of requests for the service's own host stay as they are, and so do those for hosts that no page has verified. Every request
 * gets the verdict whether a page of the host that it was sent to has sent it.
 */
export const withPageHosts = <E, R>(app: HttpApp.Default<E, R>): Effect.Effect<HttpApp.Default<E, R>, never, BaseUrl> =>
  Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const own = new URL(baseUrl).hostname
    const hosts = makeServedHosts(baseUrl, yield* AllowedHosts)
    const slugOf = yield* PageHosts
    const given = (before: HttpServerRequest.HttpServerRequest, request: HttpServerRequest.HttpServerRequest) =>
      before === request ? app : Effect.provideService(app, HttpServerRequest.HttpServerRequest, request)
    const atService = (request: HttpServerRequest.HttpServerRequest) => {
      const { host } = request.headers
      return given(request, withVerdict(request, (origin) => hosts.isOwnOrigin(origin, host), () => hosts.serves(host)))
    }
    const atPage = (request: HttpServerRequest.HttpServerRequest, slug: string) => {
      const { host } = request.headers
      const known = withVerdict(request, (origin) => isOfHost(origin, host), () => true)
      return given(request, known.modify({ url: pathAt(slug, request.url) }))
    }
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const domain = domainOf(request.headers["host"])
      if (domain === null || domain === own) return atService(request)
      return Effect.flatMap(
        slugOf(domain),
        Option.match({ onNone: () => atService(request), onSome: (slug) => atPage(request, slug) })
      )
    })
  })

const answer = (isKnown: boolean) =>
  HttpServerResponse.text(isKnown ? "yes" : "no", { status: isKnown ? 200 : 404, headers: { "cache-control": "no-store" } })

/**
 * Caddy asks `GET /tls/ask?domain=status.acme.com` before it gets a certificate for a host: 200 for this service's own host and
 * for verified custom domains, else 404.
 */
export const certificateAsk: Layer.Layer<never, never, BaseUrl> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const own = new URL(yield* BaseUrl).hostname
    const slugOf = yield* PageHosts
    yield* router.get(
      "/tls/ask",
      Effect.flatMap(HttpServerRequest.ParsedSearchParams, ({ domain }) => {
        if (typeof domain !== "string" || domain.length > 253) return Effect.succeed(answer(false))
        const host = domain.toLowerCase()
        return host === own ? Effect.succeed(answer(true)) : Effect.map(slugOf(host), (slug) => answer(Option.isSome(slug)))
      })
    )
  })
)
