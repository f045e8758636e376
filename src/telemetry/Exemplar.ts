/** Exemplars (OpenMetrics): a value of a histogram names the trace that it comes from, so that a slow one can be looked at. */
import { Histogram, type HistogramConfiguration, register } from "prom-client"
import { readTraceparent } from "../domain/tools/TraceParent.ts"

const none = {}

/** None for work that is in no recorded trace. */
export const exemplarOf = (traceparent: string | null): Readonly<Record<string, string>> => {
  const span = traceparent === null ? null : readTraceparent(traceparent)
  return span === null || !span.sampled ? none : { trace_id: span.traceId, span_id: span.spanId }
}

/** The library takes exemplars only in a registry of OpenMetrics, which would rename the counters of the other form. */
export const makeTracedHistogram = <Label extends string>(
  configuration: Pick<HistogramConfiguration<Label>, "name" | "help" | "buckets" | "labelNames">
) => {
  const histogram = new Histogram<Label>({ ...configuration, enableExemplars: true, registers: [] })
  register.registerMetric(histogram)
  return histogram
}
