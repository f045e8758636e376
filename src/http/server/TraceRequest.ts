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

/** The trace that a request is part of: that of the request which calls it within the program, or that of its caller. */
const callersTrace = Effect.flatMap(
  CurrentTrace,
  (outer) =>
    outer !== null ? Effect.succeed(outer) : Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const given = headers["traceparent"]
      return given !== undefined && readTraceparent(given) !== null ? given : null
    })
)

const tracedBy = (tracing: TracingService): TraceRequest => ({ method, operation, path }, answer) => {
  const name = `${method} ${path}`
  const attributes = { "http.request.method": method, "http.route": path, "belltower.operation": operation }
  return Effect.flatMap(callersTrace, (parent) => {
    const span = tracing.begin(name, { kind: "server", parent, attributes })
    // Errors and log lines name the caller's trace also where it is not recorded.
    if (span === null) return parent === null ? answer : Effect.provideService(answer, CurrentTrace, parent)
    return Effect.provideService(answer, CurrentTrace, span.traceparent).pipe(
      Effect.tap(({ status }) =>
        Effect.sync(() =>
          span.end({ attributes: { "http.response.status_code": status }, error: status >= 500 ? `${status}` : undefined })
        )
      ),
      Effect.onInterrupt(() => Effect.sync(() => span.end({ error: "interrupted" })))
    )
  })
}

const untraced: TraceRequest = (_, answer) => answer

/** While tracing is off, routes are served as they are. */
export const makeTraceRequest: Effect.Effect<TraceRequest> = Effect.map(
  Tracing,
  (tracing) => tracing === null ? untraced : tracedBy(tracing)
)
