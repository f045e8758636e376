/** Measures request durations by operation and status class, for Prometheus. Those of recorded traces name them (exemplars). */
import { type HttpServerResponse } from "@effect/platform"
import { Clock, Effect } from "effect"
import { Histogram, register } from "prom-client"
import { inTurnsOf } from "../../loops/TurnMeter.ts"
import { exemplarOf, makeTracedHistogram } from "../../telemetry/Exemplar.ts"
import { sampledTrace } from "../../telemetry/Tracing.ts"

const name = "belltower_http_request_duration_seconds"

/** Registered once per process, even if several servers are created. */
const acquire = () => {
  const before = register.getSingleMetric(name)
  if (before instanceof Histogram) return before
  return makeTracedHistogram({
    name,
    help: "Time from request to start of response, by operation and status class",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  })
}

const durations = acquire()

/** Records a request that bypassed the router. */
export const measure = (operation: string, status: number, seconds: number, traceparent: string | null = null): void =>
  durations.observe({
    labels: { operation, status: `${Math.floor(status / 100)}xx` },
    value: seconds,
    exemplarLabels: exemplarOf(traceparent)
  })

export const measured = (operation: string) => {
  const inTurns = inTurnsOf(operation)
  return <E, R>(
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
    Effect.flatMap(
      Clock.currentTimeNanos,
      (start) =>
        Effect.flatMap(inTurns(app), (response) =>
          Effect.flatMap(Clock.currentTimeNanos, (end) =>
            Effect.map(sampledTrace, (trace) => {
              measure(operation, response.status, Number(end - start) / 1e9, trace)
              return response
            })))
    )
}
