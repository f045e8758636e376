/** Serves the metrics of a workspace's monitors to Prometheus at GET /metrics/monitors, with a read key, outside the registry. */
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer, Stream } from "effect"
import { ReadMonitorMetrics } from "../../operations/monitor/ReadMonitorMetrics.ts"
import { type AccessNeeds, authenticate } from "../guard/Authorization.ts"

const scrape = (reading: ReadMonitorMetrics) =>
  Effect.gen(function*() {
    const caller = yield* authenticate(yield* HttpServerRequest.HttpServerRequest)
    const pieces = yield* reading.read(caller)
    return HttpServerResponse.stream(Stream.encodeText(Stream.fromIterable(pieces)), {
      contentType: "text/plain; version=0.0.4; charset=utf-8"
    })
  })

export const layer: Layer.Layer<never, never, AccessNeeds | ReadMonitorMetrics> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const reading = yield* ReadMonitorMetrics
    const context = yield* Effect.context<AccessNeeds>()
    yield* router.get("/metrics/monitors", Effect.provide(scrape(reading), context))
  })
)
