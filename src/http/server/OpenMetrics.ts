/**
 * Metrics as OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec), which has exemplars. The library's own form renames the
 * counters, which the other form shows, too.
 */
import type { MetricObjectWithValues, MetricValue } from "prom-client"

type Metric = MetricObjectWithValues<MetricValue<string>>

type Value = MetricValue<string> & {
  readonly metricName?: string
  readonly exemplar?:
    | { readonly labelSet: Readonly<Record<string, string>>; readonly value: number; readonly timestamp: number }
    | null
}

export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const labelsText = (labels: object): string =>
  Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value)).replaceAll("\"", "\\\"")}"`).join(",")

const numberText = (value: number): string =>
  Number.isNaN(value) ? "NaN" : value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

const exemplarText = ({ exemplar }: Value): string =>
  exemplar === undefined || exemplar === null
    ? ""
    : ` # {${labelsText(exemplar.labelSet)}} ${numberText(exemplar.value)} ${numberText(exemplar.timestamp)}`

const lineOf = (name: string) => (value: Value): string => {
  const labels = labelsText(value.labels)
  return `${value.metricName ?? name}${labels === "" ? "" : `{${labels}}`} ${numberText(value.value)}${exemplarText(value)}`
}

/** A counter's family has no `_total`, its samples have. */
const familyOf = ({ help, name, type, values }: Metric): string => {
  const isCounter = String(type) === "counter"
  const family = isCounter ? name.replace(/_total$/, "") : name
  const sample = isCounter ? `${family}_total` : name
  return [`# TYPE ${family} ${String(type)}`, `# HELP ${family} ${escaped(help)}`, ...values.map(lineOf(sample))].join("\n")
}

export const openMetricsText = (metrics: ReadonlyArray<Metric>): string => `${metrics.map(familyOf).join("\n")}\n# EOF\n`
