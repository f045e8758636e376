/** The metrics of the process, which Prometheus also reads, in the JSON of OTLP. */
import { entriesToAttributes, type KeyValue } from "@effect/opentelemetry/OtlpResource"
import type { MetricObjectWithValues, MetricValue } from "prom-client"
import { gather } from "../domain/tools/Gather.ts"

type Metric = MetricObjectWithValues<MetricValue<string>>
type Value = MetricValue<string> & { readonly metricName?: string }

/** When the process began to count, and now: ns since 1970, as text. */
export interface Span {
  readonly from: string
  readonly to: string
}

const cumulative = 2

const isOwn = ([name]: readonly [string, unknown]): boolean => name !== "le" && name !== "quantile"

const labelsOf = ({ labels }: Value): ReadonlyArray<KeyValue> =>
  entriesToAttributes(Object.entries(labels).filter(isOwn).map(([name, value]) => [name, String(value)]))

const pointOf = ({ from, to }: Span) => (value: Value) => ({
  attributes: labelsOf(value),
  startTimeUnixNano: from,
  timeUnixNano: to,
  asDouble: value.value
})

/** The values of each series, in their order. */
const series = (values: ReadonlyArray<Value>): ReadonlyArray<ReadonlyArray<Value>> => [
  ...gather(values.map((value) => [JSON.stringify(Object.entries(value.labels).filter(isOwn)), value])).values()
]

const part = (name: string, values: ReadonlyArray<Value>, suffix: string): number =>
  values.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0

/** Buckets of Prometheus count everything up to their bound; those of OTLP only what is above the bound before. */
const histogramPoint = (name: string, { from, to }: Span) => (values: ReadonlyArray<Value>) => {
  const buckets = values.filter(({ labels }) => "le" in labels)
  const upTo = buckets.map(({ value }) => value)
  const [first] = values
  return {
    attributes: first === undefined ? [] : labelsOf(first),
    startTimeUnixNano: from,
    timeUnixNano: to,
    count: String(part(name, values, "count")),
    sum: part(name, values, "sum"),
    explicitBounds: buckets.map(({ labels }) => Number(labels["le"])).filter(Number.isFinite),
    bucketCounts: upTo.map((count, index) => String(count - (upTo[index - 1] ?? 0)))
  }
}

const summaryPoint = (name: string, { from, to }: Span) => (values: ReadonlyArray<Value>) => {
  const [first] = values
  return {
    attributes: first === undefined ? [] : labelsOf(first),
    startTimeUnixNano: from,
    timeUnixNano: to,
    count: String(part(name, values, "count")),
    sum: part(name, values, "sum"),
    quantileValues: values.flatMap(({ labels, value }) =>
      labels["quantile"] === undefined ? [] : [{ quantile: Number(labels["quantile"]), value }]
    )
  }
}

const dataOf = ({ name, type, values }: Metric, span: Span) => {
  // Typed as text, and an enumeration with these names in other versions.
  switch (String(type)) {
    case "counter":
      return { sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints: values.map(pointOf(span)) } }
    case "histogram":
      return {
        histogram: { aggregationTemporality: cumulative, dataPoints: series(values).map(histogramPoint(name, span)) }
      }
    case "summary":
      return { summary: { dataPoints: series(values).map(summaryPoint(name, span)) } }
    default:
      return { gauge: { dataPoints: values.map(pointOf(span)) } }
  }
}

export const otlpMetrics = (metrics: ReadonlyArray<Metric>, span: Span) =>
  metrics.filter(({ values }) => values.length > 0).map((metric) => ({
    name: metric.name,
    description: metric.help,
    ...dataOf(metric, span)
  }))
