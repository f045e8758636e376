/** Serves the statuses of third parties: in the registry, and below /status as JSON for agents and as RSS. */
import { HttpApiBuilder, HttpRouter, HttpServerResponse } from "@effect/platform"
import { DateTime, Effect, type Layer, Schema } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { UpstreamStatus } from "../../../schema/upstream/Upstream.ts"
import { xmlText } from "../../domain/tools/text/XmlText.ts"
import { Links } from "../../links/Links.ts"
import { ReadUpstream } from "../../operations/upstream/ReadUpstream.ts"
import { all } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const UpstreamsLive = operationGroup(Api, "Upstream status", (handlers) =>
  Effect.map(ReadUpstream, (upstreams) =>
    handlers
      .handle("list_upstreams", () => all(Effect.succeed(upstreams.catalogue)))
      .handle("upstream_status", ({ path }) => upstreams.status(path.service, path.component))))

const encode = Schema.encode(UpstreamStatus)

const headers = { "cache-control": "public, max-age=15", "access-control-allow-origin": "*", "x-content-type-options": "nosniff" }

const agentJson = ({ status }: ReadUpstream) =>
  Effect.gen(function*() {
    const { component = "", service = "" } = yield* HttpRouter.params
    const body = yield* Effect.orDie(encode(yield* status(service, component)))
    return yield* Effect.orDie(HttpServerResponse.json(body, { headers }))
  })

const feed = ({ service: read }: ReadUpstream, links: Links["Type"]) =>
  Effect.gen(function*() {
    const { service = "" } = yield* HttpRouter.params
    const { entry, incidents } = yield* read(service)
    const page = links.upstream({ service, component: "all" })
    const items = incidents.map(({ id, impact, startedAt, status, text, title, url }) =>
      `<item><title>${xmlText(title)}</title><link>${xmlText(url ?? page)}</link>` +
      `<guid isPermaLink="false">${xmlText(`${service} ${id}`)}</guid>` +
      `<pubDate>${DateTime.toDateUtc(startedAt).toUTCString()}</pubDate>` +
      `<description>${
        xmlText(`${status}, ${impact.replaceAll("_", " ")}${text === null ? "" : `: ${text}`}`)
      }</description></item>`
    )
    const text =
      `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>${xmlText(`${entry.name} incidents`)}</title>` +
      `<link>${xmlText(page)}</link><description>${
        xmlText(`Incidents that ${entry.name} published in the last 90 days`)
      }</description>` +
      `${items.join("")}</channel></rss>`
    return HttpServerResponse.text(text, { contentType: "application/rss+xml; charset=utf-8", headers })
  })

export const layer: Layer.Layer<never, never, Links | ReadUpstream> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const reading = yield* ReadUpstream
    yield* router.get("/status/:service/:component/status.agent.json", agentJson(reading))
    yield* router.get("/status/:service/feed.rss", feed(reading, yield* Links))
  })
)
