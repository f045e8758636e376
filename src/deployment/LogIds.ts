/** The ids that lead from a line of the log to its request and its trace. */
import { Context, FiberId, FiberRef, FiberRefs, HashMap, Logger, Tracer } from "effect"
import { readTraceparent } from "../domain/tools/TraceParent.ts"
import { noRequest, RequestId } from "../http/server/RequestId.ts"
import { CurrentTrace } from "../telemetry/Tracing.ts"

const contextOf = ({ context }: Logger.Logger.Options<unknown>): Context.Context<never> =>
  FiberRefs.getOrDefault(context, FiberRef.currentContext)

const spanIn = (context: Context.Context<never>) => {
  const trace = Context.get(context, CurrentTrace)
  return trace === null ? null : readTraceparent(trace)
}

const requestIn = (context: Context.Context<never>): Readonly<Record<string, string>> => {
  const requestId = Context.get(context, RequestId)
  return requestId === noRequest ? {} : { requestId }
}

const annotatedWith = (ids: Readonly<Record<string, string>>, { annotations }: Logger.Logger.Options<unknown>) =>
  Object.entries(ids).reduce((all, [name, id]) => HashMap.set(all, name, id), annotations)

/** Adds the ids to lines that people and their tools read. */
export const withIds = <A, B>(logger: Logger.Logger<A, B>): Logger.Logger<A, B> =>
  Logger.mapInputOptions(logger, (options: Logger.Logger.Options<A>) => {
    const context = contextOf(options)
    const span = spanIn(context)
    const ids = { ...requestIn(context), ...(span === null ? {} : { traceId: span.traceId, spanId: span.spanId }) }
    return { ...options, annotations: annotatedWith(ids, options) }
  })

/** The same for the records of OTLP, whose exporter reads the ids of the trace from the span of the fiber. */
export const withSpanOfTrace = <B>(logger: Logger.Logger<unknown, B>): Logger.Logger<unknown, B> =>
  Logger.mapInputOptions(logger, (options: Logger.Logger.Options<unknown>) => {
    const context = contextOf(options)
    const span = spanIn(context)
    return {
      ...options,
      annotations: annotatedWith(requestIn(context), options),
      // The spans of libraries are not recorded, so they must not be named.
      context: FiberRefs.updateAs(options.context, {
        fiberId: FiberId.none,
        fiberRef: FiberRef.currentContext,
        value: span === null
          ? Context.omit(Tracer.ParentSpan)(context)
          : Context.add(context, Tracer.ParentSpan, Tracer.externalSpan(span))
      })
    }
  })
