/** The spans of the program, made with a tracer of Effect. */
import { type Clock, Context, Exit, Option, Tracer } from "effect"
import { readTraceparent, type SpanContext, traceparentOf } from "../domain/tools/TraceParent.ts"
import type { Sampler } from "./Sampler.ts"
import type { SpanEnd, TracingService } from "./Tracing.ts"

const nanosOf = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n

const parentOf = (context: SpanContext | null): Option.Option<Tracer.AnySpan> =>
  context === null ? Option.none() : Option.some(Tracer.externalSpan(context))

const setAll = (span: Tracer.Span, attributes: SpanEnd["attributes"]): void => {
  for (const [name, value] of Object.entries(attributes ?? {})) span.attribute(name, value)
}

export const makeTracing = (tracer: Tracer.Tracer, isSampled: Sampler, clock: Clock.Clock): TracingService => ({
  begin: (name, { at, attributes, kind, parent }) => {
    const context = parent === null ? null : readTraceparent(parent)
    if (!isSampled(context)) return null
    const start = at === undefined ? clock.unsafeCurrentTimeNanos() : nanosOf(at)
    const span = tracer.span(name, parentOf(context), Context.empty(), [], start, kind)
    setAll(span, attributes)
    return {
      traceparent: traceparentOf({ traceId: span.traceId, spanId: span.spanId, sampled: true }),
      end: ({ at: until, attributes: found, error } = {}) => {
        setAll(span, found)
        const end = until === undefined ? clock.unsafeCurrentTimeNanos() : nanosOf(until)
        // A clock that was set back would have the span end before it begins.
        span.end(end < start ? start : end, error === undefined ? Exit.void : Exit.fail(error))
      }
    }
  }
})
