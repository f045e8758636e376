/** Decides for which hosts a TLS proxy may get a certificate: Caddy's on-demand TLS asks before each new one. */
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer, Option } from "effect"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { PageHosts } from "./HostRouting.ts"

const answer = (isKnown: boolean) =>
  HttpServerResponse.text(isKnown ? "yes" : "no", { status: isKnown ? 200 : 404, headers: { "cache-control": "no-store" } })

/** `GET /tls/ask?domain=status.acme.com`: 200 for this service's own host and for verified custom domains, else 404. */
export const layer: Layer.Layer<never, never, BaseUrl> = HttpApiBuilder.Router.use((router) =>
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
