/** Serves /healthz and /readyz for orchestrators, /health for people and external monitors, and /metrics for Prometheus. */
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Clock, DateTime, Effect, type Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { collectDefaultMetrics, Gauge, register } from "prom-client"
import { programVersion } from "../../../schema/ProgramVersion.ts"
import { type HealthState, overall, type PartHealth } from "../../domain/health/Health.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { domainOf } from "../page/HostRouting.ts"
import { Draining, type DrainState } from "./Draining.ts"
import type { HealthLooks } from "./HealthChecks.ts"
import { measure } from "./HttpMetrics.ts"
import { exportedBy, ProcessRole } from "./MetricRoles.ts"
import { mayReadMetrics, MetricsAccess, type MetricsPolicy } from "./MetricsAccess.ts"
import { openMetricsText, openMetricsType } from "./OpenMetrics.ts"
import { protection, transport } from "./ResponseHeaders.ts"

/**
 * While it drains, the process still serves, but load balancers should send nothing new. What fails is named also when the process
 * stays ready, with the reason for those who may know it.
 */
const readiness = (looks: HealthLooks, drain: Readonly<DrainState>, policy: MetricsPolicy) =>
  Effect.gen(function*() {
    const parts = yield* looks.failing
    const isReady = !drain.isDraining && parts.every(({ blocks }) => !blocks)
    const failing = [...(drain.isDraining ? ["draining"] : []), ...parts.map(({ name }) => name)]
    if (failing.length === 0) return HttpServerResponse.unsafeJson({ ready: true })
    const mayReadAll = yield* Effect.isSuccess(mayReadMetrics(policy, yield* HttpServerRequest.HttpServerRequest))
    const reasons = mayReadAll && parts.length > 0
      ? { reasons: Object.fromEntries(parts.map(({ name, reason }) => [name, reason])) }
      : {}
    return HttpServerResponse.unsafeJson({ ready: isReady, failing, ...reasons }, { status: isReady ? 200 : 503 })
  })

const time = (at: number): string => DateTime.formatIso(DateTime.unsafeMake(at))

const partBody = ({ details, reason, since, state }: PartHealth, now: number) => ({
  state,
  since: time(since),
  ageSec: Math.max(0, Math.round((now - since) / 1000)),
  reason,
  ...details
})

/** A degraded process serves, so a monitor that reads only the status code sees failures alone. */
const statusCode = { ok: 200, degraded: 200, failing: 503 } satisfies Record<HealthState, number>

/** Reasons may name hosts of the deployment, so strangers get the state only. */
const report = (looks: HealthLooks, policy: MetricsPolicy) =>
  Effect.gen(function*() {
    const mayReadAll = yield* Effect.isSuccess(mayReadMetrics(policy, yield* HttpServerRequest.HttpServerRequest))
    const parts = yield* looks.all
    const now = yield* Clock.currentTimeMillis
    const { since, state } = overall([...parts.values()], looks.start)
    const checks = Object.fromEntries([...parts].map(([name, part]) => [name, partBody(part, now)]))
    return HttpServerResponse.unsafeJson(
      { status: state, since: time(since), ...(mayReadAll ? { checks } : {}) },
      { status: statusCode[state], headers: { "cache-control": "no-store" } }
    )
  })

const buildInfo = new Gauge({
  name: "belltower_build_info",
  help: "1, with the version and the role of this process",
  labelNames: ["version", "role"]
})

/** OpenMetrics for scrapers that ask for it, as Prometheus does where exemplars are stored. */
const metrics = (policy: MetricsPolicy, exported: ReturnType<typeof exportedBy>) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* mayReadMetrics(policy, request)
    if (request.headers["accept"]?.includes("application/openmetrics-text") === true) {
      const found = yield* Effect.promise(() => exported.getMetricsAsJSON())
      return HttpServerResponse.text(openMetricsText(found), { contentType: openMetricsType })
    }
    const text = yield* Effect.promise(() => exported.metrics())
    return HttpServerResponse.text(text, { contentType: exported.contentType })
  })

/**
 * Never, ms: Node samples the delay of the event loop with a timer, which wakes an idle process, and counts the timer's interval as
 * delay. `belltower_event_loop_turn_seconds` says how long turns take.
 */
const sampleEvery = 2 ** 31 - 1

/** Gauges of prom-client that would say nothing, and those named like counters: each of these is the sum of a gauge by type, which stays. */
const omitted = [
  ...["min", "max", "mean", "stddev", "p50", "p90", "p99"].map((figure) => `nodejs_eventloop_lag_${figure}_seconds`),
  ...["handles", "requests", "resources"].map((kind) => `nodejs_active_${kind}_total`)
]

/** Registered once per process, even if several servers are created. */
const measureProcess = Effect.sync(() => {
  if (register.getSingleMetric("process_cpu_user_seconds_total") !== undefined) return
  collectDefaultMetrics({ eventLoopMonitoringPrecision: sampleEvery })
  for (const name of omitted) register.removeSingleMetric(name)
})

export const layer = (looks: HealthLooks): Layer.Layer<never> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      yield* measureProcess
      const role = yield* ProcessRole
      buildInfo.set({ version: programVersion, role }, 1)
      const policy = yield* MetricsAccess
      yield* router.get(healthPath, Effect.sync(() => HttpServerResponse.unsafeJson(alive)))
      yield* router.get("/readyz", readiness(looks, yield* Draining, policy))
      yield* router.get("/health", report(looks, policy))
      yield* router.get("/metrics", metrics(policy, exportedBy(role)))
    })
  )

/** The path, and its label in the metrics. */
const healthPath = "/healthz"

const alive = { alive: true }

const body = JSON.stringify(alive)

/** Answers `/healthz` before the router, busy or not, as the router would, which answers HEAD and queries. */
export const makeHealthPath = Effect.gen(function*() {
  const clock = yield* Effect.clock
  const baseUrl = yield* BaseUrl
  const own = new URL(baseUrl).hostname
  const secure = transport(baseUrl)

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { headers, method, url } = request
    if (url !== healthPath || method !== "GET") return false
    // At another host, the path may belong to a custom domain.
    const domain = domainOf(headers.host)
    if (domain !== null && domain !== own) return false
    const start = clock.unsafeCurrentTimeNanos()
    response.writeHead(200, {
      ...protection,
      ...secure(headers.host),
      "content-type": "application/json",
      "content-length": body.length,
      "x-request-id": randomUUID()
    }).end(body)
    measure(healthPath, 200, Number(clock.unsafeCurrentTimeNanos() - start) / 1e9)
    return true
  }
})
