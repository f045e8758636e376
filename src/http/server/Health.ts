/** Serves /healthz and /readyz for orchestrators, and /metrics for Prometheus. */
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Array, Cause, Effect, type Layer, Option } from "effect"
import { collectDefaultMetrics, register } from "prom-client"
import { alive, healthPath } from "./HealthLane.ts"
import { mayReadMetrics, MetricsAccess, type MetricsPolicy } from "./MetricsAccess.ts"

/** A service that the process needs; its probe fails while the service is unavailable. */
export interface Dependency {
  readonly name: string
  readonly probe: Effect.Effect<unknown, unknown>
}

const probeTimeout = "2 seconds"

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The name of an unavailable dependency; none if it is available. */
const fault = ({ name, probe }: Dependency) =>
  probe.pipe(
    // A probe that hangs may also be uninterruptible.
    Effect.disconnect,
    Effect.timeoutFail({
      duration: probeTimeout,
      onTimeout: () => new Cause.TimeoutException(`no response within ${probeTimeout}`)
    }),
    Effect.as(Option.none<string>()),
    Effect.catchAllCause((cause) =>
      Effect.as(Effect.logWarning(`Not ready: ${name}: ${messageOf(Cause.squash(cause))}`), Option.some(name))
    )
  )

const readiness = Effect.fn("Health.readiness")(function*(dependencies: ReadonlyArray<Dependency>) {
  const failing = Array.getSomes(yield* Effect.forEach(dependencies, fault, { concurrency: "unbounded" }))
  return failing.length === 0
    ? HttpServerResponse.unsafeJson({ ready: true })
    : HttpServerResponse.unsafeJson({ ready: false, failing }, { status: 503 })
})

const metrics = (policy: MetricsPolicy) =>
  Effect.gen(function*() {
    yield* mayReadMetrics(policy, yield* HttpServerRequest.HttpServerRequest)
    const text = yield* Effect.promise(() => register.metrics())
    return HttpServerResponse.text(text, { contentType: register.contentType })
  })

/** How often the delay of the event loop is sampled, ms. Each sample wakes the process; by default there are 100 a second. */
const sampleEvery = 200

/** Registered once per process, even if several servers are created. */
const measureProcess = Effect.sync(() => {
  if (register.getSingleMetric("process_cpu_user_seconds_total") === undefined) {
    collectDefaultMetrics({ eventLoopMonitoringPrecision: sampleEvery })
  }
})

/** /readyz checks the `dependencies`; /healthz only reports that the process is alive. */
export const layer = (dependencies: ReadonlyArray<Dependency>): Layer.Layer<never> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      yield* measureProcess
      yield* router.get(healthPath, Effect.sync(() => HttpServerResponse.unsafeJson(alive)))
      yield* router.get("/readyz", readiness(dependencies))
      yield* router.get("/metrics", metrics(yield* MetricsAccess))
    })
  )
