/** Spans at the boundaries of the program, each exported when it ends. Off unless the operator names a collector. */
import { Cause, Context, Effect, Exit } from "effect"
import { readTraceparent } from "../domain/tools/TraceParent.ts"

/** Ids, states and counts only: no name, address, URL or text of a tenant. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  readonly kind: "server" | "client" | "producer" | "consumer" | "internal"
  /** The `traceparent` of the work that led to this; null begins a trace. */
  readonly parent: string | null
  /** ms since 1970; now if left out. */
  readonly at?: number
  readonly attributes: SpanAttributes
}

export interface SpanEnd {
  readonly attributes?: SpanAttributes
  /** Why the work failed, in a word. */
  readonly error?: string | undefined
  /** ms since 1970; now if left out. */
  readonly at?: number
}

export interface OpenSpan {
  /** The `traceparent` of the span, for the work that it leads to. */
  readonly traceparent: string
  readonly end: (how?: SpanEnd) => void
}

export interface TracingService {
  /** Null for work that is not sampled. */
  readonly begin: (name: string, options: SpanOptions) => OpenSpan | null
}

/** Null while tracing is off, so that it costs nothing then: read it when a part is built, not for each call. */
export class Tracing extends Context.Reference<Tracing>()("belltower/Tracing", {
  defaultValue: (): TracingService | null => null
}) {}

/** The `traceparent` of the work that a fiber does; also of a trace that is not sampled, for logs and answers. */
export class CurrentTrace extends Context.Reference<CurrentTrace>()("belltower/CurrentTrace", {
  defaultValue: (): string | null => null
}) {}

/** Does work that a message of a trace led to. */
export const withinTrace = <A, E, R>(traceparent: string | undefined, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  traceparent === undefined ? work : Effect.provideService(work, CurrentTrace, traceparent)

/** The trace that rows and messages carry on; null unless it is sampled. */
export const sampledTrace: Effect.Effect<string | null> = Effect.map(
  CurrentTrace,
  (trace) => trace !== null && readTraceparent(trace)?.sampled === true ? trace : null
)

const errorOf = (exit: Exit.Exit<unknown, unknown>): string | undefined =>
  Exit.isSuccess(exit) ? undefined : Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "failed"

/** Does work within a span below that of its fiber, or within none. The work gets its `traceparent` to hand on. */
export const spanned = <A, E, R>(
  tracing: TracingService | null,
  name: string,
  options: Omit<SpanOptions, "parent">,
  work: (traceparent: string | null) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  tracing === null ? work(null) : Effect.flatMap(CurrentTrace, (parent) => {
    const span = tracing.begin(name, { ...options, parent })
    if (span === null) return work(null)
    return work(span.traceparent).pipe(
      Effect.provideService(CurrentTrace, span.traceparent),
      Effect.onExit((exit) => Effect.sync(() => span.end({ error: errorOf(exit) })))
    )
  })
