/** Tells orchestrators and Prometheus how the process is: /healthz, /readyz, /metrics. */
import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Array, Cause, Effect, type Layer, Option } from "effect"
import { collectDefaultMetrics, register } from "prom-client"

/** Something the process cannot serve without; its probe fails while it is away. */
export interface Dependency {
  readonly name: string
  readonly probe: Effect.Effect<unknown, unknown>
}

const probeTimeout = "2 seconds"

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Why a dependency is not there, or none when it is. */
const fault = ({ name, probe }: Dependency) =>
  probe.pipe(
    // One that hangs may also hang when it is told to stop.
    Effect.disconnect,
    Effect.timeoutFail({
      duration: probeTimeout,
      onTimeout: () => new Cause.TimeoutException(`no answer within ${probeTimeout}`)
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

const metrics = Effect.map(
  Effect.promise(() => register.metrics()),
  (text) => HttpServerResponse.text(text, { contentType: register.contentType })
)

/** One for the process, however often the server is made. */
const measureProcess = Effect.sync(() => {
  if (register.getSingleMetric("process_cpu_user_seconds_total") === undefined) collectDefaultMetrics()
})

/** `dependencies` decide about /readyz; /healthz only says that the process lives. */
export const layer = (dependencies: ReadonlyArray<Dependency>): Layer.Layer<never> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      yield* measureProcess
      yield* router.get("/healthz", Effect.sync(() => HttpServerResponse.unsafeJson({ alive: true })))
      yield* router.get("/readyz", readiness(dependencies))
      yield* router.get("/metrics", metrics)
    })
  )
