/** Makes Grafana dashboards from short descriptions: rows of panels, each with a title, a unit and its queries. */

/** The variable that names the Prometheus to ask. */
const datasource = { type: "prometheus", uid: "${datasource}" }

const variables = {
  datasource: {
    name: "datasource",
    label: "Prometheus",
    type: "datasource",
    query: "prometheus",
    regex: "",
    hide: 0,
    refresh: 1,
    multi: false,
    includeAll: false,
    options: [],
    current: { text: "default", value: "default" }
  },
  region: {
    name: "region",
    label: "Region",
    type: "query",
    datasource,
    definition: "label_values(belltower_probe_monitors, region)",
    query: { query: "label_values(belltower_probe_monitors, region)", refId: "region" },
    regex: "",
    sort: 1,
    hide: 0,
    refresh: 2,
    multi: true,
    includeAll: true,
    allValue: ".*",
    options: [],
    current: { text: "All", value: "$__all" }
  }
}

/** Thresholds of a number that should stay below: green, from `warn` orange, from `bad` red. */
export const below = (warn, bad) => [
  { color: "green", value: null },
  { color: "orange", value: warn },
  { color: "red", value: bad }
]
/** Thresholds of a number that should reach a value. */
export const atLeast = (good) => [{ color: "red", value: null }, { color: "green", value: good }]

const targetsOf = (queries, isInstant) =>
  queries.map(([expr, legendFormat = ""], index) => ({
    refId: String.fromCharCode(65 + index),
    datasource,
    editorMode: "code",
    expr,
    legendFormat: legendFormat === "" ? "__auto" : legendFormat,
    instant: isInstant,
    range: !isInstant
  }))

const reduce = { calcs: ["lastNotNull"], fields: "", values: false }

/** One number. */
export const stat = (title, unit, query, steps, description = "") => ({
  type: "stat",
  title,
  description,
  datasource,
  targets: targetsOf([query], true),
  fieldConfig: {
    defaults: { unit, mappings: [], thresholds: { mode: "absolute", steps: steps ?? [{ color: "blue", value: null }] } },
    overrides: []
  },
  options: {
    reduceOptions: reduce,
    colorMode: "value",
    graphMode: "none",
    justifyMode: "auto",
    orientation: "auto",
    textMode: "auto"
  }
})

/** Lines over time. `queries`: pairs of an expression and the name of its lines. */
export const lines = (title, unit, queries, description = "") => ({
  type: "timeseries",
  title,
  description,
  datasource,
  targets: targetsOf(queries, false),
  fieldConfig: {
    defaults: { unit, custom: { drawStyle: "line", lineWidth: 1, fillOpacity: 8, showPoints: "never", spanNulls: false } },
    overrides: []
  },
  options: {
    legend: { displayMode: "list", placement: "bottom", showLegend: true, calcs: [] },
    tooltip: { mode: "multi", sort: "desc" }
  }
})

/** The 50th, 95th and 99th percentile of a histogram, as queries. `labels` select series. */
export const percentiles = (metric, labels = "") =>
  [0.5, 0.95, 0.99].map((part) => [
    `histogram_quantile(${part}, sum by (le) (rate(${metric}_bucket${labels}[$__rate_interval])))`,
    `p${part * 100}`
  ])

/** Numbers are four units high, lines eight; a row is 24 units wide. */
const placed = (rows) => {
  const panels = []
  let y = 0
  for (const row of rows) {
    const w = Math.floor(24 / row.length)
    const h = row.every(({ type }) => type === "stat") ? 4 : 8
    row.forEach((panel, index) => panels.push({ id: panels.length + 1, ...panel, gridPos: { h, w, x: index * w, y } }))
    y += h
  }
  return panels
}

export const dashboard = (name, title, description, rows, more = []) => ({
  uid: `belltower-${name}`,
  title: `Belltower: ${title}`,
  description,
  tags: ["belltower"],
  schemaVersion: 39,
  version: 1,
  editable: true,
  graphTooltip: 1,
  timezone: "",
  refresh: "30s",
  time: { from: "now-6h", to: "now" },
  annotations: { list: [] },
  links: [
    {
      type: "dashboards",
      title: "Belltower",
      tags: ["belltower"],
      asDropdown: true,
      includeVars: true,
      keepTime: true,
      icon: "",
      url: ""
    }
  ],
  templating: { list: ["datasource", ...more].map((variable) => variables[variable]) },
  panels: placed(rows)
})

/** One panel a line, so that a change of one is one line of a diff. */
export const textOf = ({ panels, ...rest }) => {
  const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, "")
  return `${head},\n  "panels": [\n${panels.map((panel) => `    ${JSON.stringify(panel)}`).join(",\n")}\n  ]\n}\n`
}
