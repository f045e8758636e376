/** The spans of requests. They join the trace that the caller's `traceparent` names (W3C Trace Context). */
import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { readTraceparent } from "../../domain/tools/TraceParent.ts"
import { CurrentTrace, Tracing, type TracingService } from "../../telemetry/Tracing.ts"

/** A route, by its pattern: the path of a request may hold a token. */
interface TracedRoute {
  readonly method: string
  readonly path: string
  /** The id of the operation, or the path again. */
  readonly operation: string
}

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

export type TraceRequest = <R>(route: TracedRoute, answer: Answer<R>) => Answer<R | HttpServerRequest.HttpServerRequest>

const traceIn = (given: string | undefined): string | null =>
  given !== undefined && readTraceparent(given) !== null ? given : null

/** The trace that a request is part of: that of the request which calls it within the program, or that of its caller. */
const callersTrace = Effect.flatMap(
  CurrentTrace,
  (outer) =>
    outer !== null
      ? Effect.succeed(outer)
      : Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => traceIn(headers["traceparent"]))
)

const begin = (tracing: TracingService, { method, operation, path }: TracedRoute, parent: string | null) => {
  const attributes = { "http.request.method": method, "http.route": path, "belltower.operation": operation }
  const span = tracing.begin(`${method} ${path}`, { kind: "server", parent, attributes })
  return span === null ? null : {
    traceparent: span.traceparent,
    interrupted: () => span.end({ error: "interrupted" }),
    answered: (status: number) =>
      span.end({ attributes: { "http.response.status_code": status }, error: status >= 500 ? `${status}` : undefined })
  }
}

/** The trace of a request that bypasses the router. */
export interface PathTrace {
  /** Null for none. */
  readonly traceparent: string | null
  readonly answered: (status: number) => void
}

const noTrace: PathTrace = { traceparent: null, answered: () => {} }

/** For requests that bypass the router. `given`: the caller's `traceparent`. */
export const makePathTraces = Effect.map(
  Tracing,
  (tracing) => (route: TracedRoute, given: string | undefined): PathTrace => {
    if (tracing === null) return noTrace
    const parent = traceIn(given)
    // Errors and log lines name the caller's trace also where it is not recorded.
    return begin(tracing, route, parent) ?? { ...noTrace, traceparent: parent }
  }
)

const tracedBy = (tracing: TracingService): TraceRequest => (route, answer) =>
  Effect.flatMap(callersTrace, (parent) => {
    const span = begin(tracing, route, parent)
    // Errors and log lines name the caller's trace also where it is not recorded.
    if (span === null) return parent === null ? answer : Effect.provideService(answer, CurrentTrace, parent)
    return Effect.provideService(answer, CurrentTrace, span.traceparent).pipe(
      Effect.tap(({ status }) => Effect.sync(() => span.answered(status))),
      Effect.onInterrupt(() => Effect.sync(span.interrupted))
    )
  })

const untraced: TraceRequest = (_, answer) => answer

/** While tracing is off, routes are served as they are. */
export const makeTraceRequest: Effect.Effect<TraceRequest> = Effect.map(
  Tracing,
  (tracing) => tracing === null ? untraced : tracedBy(tracing)
)
