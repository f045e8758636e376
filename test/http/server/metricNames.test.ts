/** Every metric of every role obeys the conventions of Prometheus, as promtool and the OpenMetrics specification state them. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { register } from "prom-client"
import { programVersion } from "../../../schema/ProgramVersion.ts"
import { makeMetricsText } from "../../../src/domain/monitor/MonitorMetrics.ts"
import { exportedBy, metricRoles } from "../../../src/http/server/MetricRoles.ts"
// Loaded only where there is a collector.
import "../../../src/telemetry/Collector.ts"
import { metricValue } from "../../support/measure/MetricValue.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { call } from "../../support/program/TestServer.ts"
import { canRunPromtool, promtool } from "../../support/services/Promtool.ts"
import { until } from "../../support/time/Until.ts"

interface Metric {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: ReadonlyArray<{ readonly name: string; readonly labels: ReadonlyArray<string> }>
}

const labelsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/([A-Za-z_][A-Za-z0-9_]*)="/g)].map(([, name]) => name ?? "")

/** The metrics of a text in the exposition format, with their samples. */
const parsed = (text: string): ReadonlyArray<Metric> => {
  const found = new Map<string, { help: string; type: string; samples: Array<Metric["samples"][number]> }>()
  const of = (name: string) => {
    const one = found.get(name) ?? { help: "", type: "", samples: [] }
    found.set(name, one)
    return one
  }
  let current = ""
  for (const line of text.split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === "HELP") of(current = name).help = rest
    else if (kind === "TYPE") of(current = name).type = rest
    else if (line !== "" && !line.startsWith("#")) {
      const [, sample = "", , labels = ""] = /^([^{ ]+)(\{(.*)\})? /.exec(line) ?? []
      of(current).samples.push({ name: sample, labels: labelsOf(labels) })
    }
  }
  return [...found].map(([name, one]) => ({ name, ...one }))
}

/** Units that are not base units, and their base units. */
const scaled =
  /_(ms|millis|milliseconds|micros|microseconds|nanoseconds|minutes|hours|days|percent|kb|mb|gb|kilobytes|megabytes)(_|$)/

/** Faults of a metric. */
const problems = ({ help, name, samples, type }: Metric): ReadonlyArray<string> => {
  const own = type === "histogram"
    ? [`${name}_bucket`, `${name}_sum`, `${name}_count`]
    : type === "summary"
    ? [name, `${name}_sum`, `${name}_count`]
    : [name]
  const labels = samples.flatMap((sample) => sample.labels)
  return [
    ...(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) ? [] : ["its name is not in lower snake case"]),
    ...(help.trim() === "" ? ["it has no help"] : []),
    ...(["counter", "gauge", "histogram", "summary"].includes(type) ? [] : [`its type is "${type}"`]),
    ...(type === "counter" && !name.endsWith("_total") ? ["a counter must end in _total"] : []),
    ...(type !== "counter" && name.endsWith("_total") ? [`a ${type} must not end in _total`] : []),
    ...(type !== "gauge" && name.endsWith("_info") ? ["only gauges end in _info"] : []),
    ...(/_(bucket|count|sum|gauge|counter|histogram|summary)$/.test(name) ? ["it ends in a reserved word or its type"] : []),
    ...(scaled.test(name) ? ["its unit is not a base unit"] : []),
    ...(/^(age|duration|latency|lateness|delay)|\b(how long|age of|duration)\b/i.test(help) && !/_seconds(_total)?$/.test(name)
      ? ["it measures a time, and does not end in _seconds"]
      : []),
    ...(labels.some((label) => !/^[a-z][a-z0-9_]*$/.test(label)) ? ["a label is not in lower snake case"] : []),
    ...(type !== "histogram" && labels.includes("le") || type !== "summary" && labels.includes("quantile")
      ? ["it has a reserved label"]
      : []),
    ...(samples.every((sample) => own.includes(sample.name)) ? [] : ["it has samples of another name"])
  ].map((problem) => `${name}: ${problem}`)
}

const complaints = (text: string) => parsed(text).flatMap(problems)

const hasPromtool = canRunPromtool()
const root = join(import.meta.dirname, "../../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

/** The expressions of the alerts and dashboards, each with the file that has it. */
const expressions = () => [
  ...[...read("infra/prometheus/rules.yaml").matchAll(/^ {8}expr: (?:>-\n)?((?:.|\n {10})+)$/gm)].map(([, expr = ""]) => ({
    file: "rules.yaml",
    expr
  })),
  ...readdirSync(join(root, "infra/grafana")).filter((name) => name.endsWith(".json")).flatMap((file) =>
    [...read(`infra/grafana/${file}`).matchAll(/"expr":("(?:[^"\\]|\\.)*")/g)].map(([, text = ""]) => ({
      file,
      expr: String(JSON.parse(text))
    }))
  )
]

/** A metric of the process by the name of one of its series. */
const metricOf = (series: string) =>
  register.getSingleMetric(series) ?? register.getSingleMetric(series.replace(/_(bucket|sum|count)$/, ""))

const labelsOfMetric = (series: string): ReadonlyArray<string> => {
  const metric: object = metricOf(series) ?? {}
  const own = "labelNames" in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : []
  return [...own, "instance", ...(series.endsWith("_bucket") ? ["le"] : [])]
}

/** What an expression asks for and the process does not export. */
const missingFor = (expr: string): ReadonlyArray<string> => {
  const bare = expr.replace(/"(?:[^"\\]|\\.)*"/g, "")
  const series = [...bare.matchAll(/\b((?:belltower|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
  const all = new Set(series.flatMap(([, name = ""]) => labelsOfMetric(name)))
  const grouped = [...bare.matchAll(/\b(?:by|on|group_left) \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels.split(",").map((label) => label.trim()).filter((label) => label !== "")
  )
  return [
    ...series.flatMap(([, name = "", labels = ""]) => [
      ...(metricOf(name) === undefined ? [name] : []),
      ...[...labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].flatMap(([, label = ""]) =>
        labelsOfMetric(name).includes(label) ? [] : [`${name}{${label}}`]
      )
    ]),
    ...(bare.includes("ALERTS") ? [] : grouped.filter((label) => !all.has(label)))
  ]
}

/** The rows of the table of metrics in docs/operations.md: name, type, labels, roles. */
const documented = () =>
  [...read("docs/operations.md").matchAll(/^\| `(belltower_\w+)` \| (\w+) \| ([^|]*) \| ([^|]*) \| [^|]+ \|$/gm)].map(
    ([, name, type, labels = "", roles = ""]) => [name, type, labels.replaceAll("`", "").trim(), roles.trim()].join(" | ")
  )

const roleText = (roles: ReadonlyArray<string>) =>
  roles.length === 0 ? "one process" : roles.length === 3 ? "each" : roles.join(", ")

layer(TestProgram, { excludeTestServices: true })("The metrics", (it) => {
  it.effect("follow the conventions, whichever role exports them", () =>
    Effect.gen(function*() {
      const answer = yield* call("/metrics")
      const text = yield* Effect.promise(() => answer.text())
      // This process has loaded the code of every role, and metrics register when their code loads.
      const names = parsed(text).map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining([
        "belltower_newest_check_age_seconds",
        "belltower_health_ok",
        "belltower_region_workers",
        "belltower_delivery_attempts_total",
        "belltower_checks_total",
        "belltower_http_request_duration_seconds",
        "process_cpu_seconds_total"
      ]))
      // Node would count the interval of its sampling as delay.
      expect(names).not.toContain("nodejs_eventloop_lag_p99_seconds")
      expect(names).toHaveLength(register.getMetricsAsArray().length)
      expect(complaints(text)).toEqual([])
    }))

  it.effect.skipIf(!hasPromtool)("pass the checks of promtool", () =>
    Effect.gen(function*() {
      const answer = yield* call("/metrics")
      const text = yield* Effect.promise(() => answer.text())
      expect(promtool(["check", "metrics"], text)).toEqual({ status: 0, output: "" })
      expect(promtool(["check", "metrics"], "# TYPE belltower_wait_ms gauge\nbelltower_wait_ms 1\n").status).not.toBe(0)
    }))

  it.effect("are exported by the roles that measure them, and by no other", () =>
    Effect.gen(function*() {
      const own = register.getMetricsAsArray().map(({ name }) => name).filter((name) => name.startsWith("belltower_"))
      expect([...own].sort()).toEqual(Object.keys(metricRoles).sort())
      for (const role of ["api", "runner", "probe"] as const) {
        const text = yield* Effect.promise(() => exportedBy(role).metrics())
        const names = parsed(text).map(({ name }) => name)
        expect(names).toContain("process_cpu_seconds_total")
        expect(names.filter((name) => name.startsWith("belltower_")).sort()).toEqual(
          Object.entries(metricRoles).flatMap(([name, roles]) => roles.includes(role) ? [name] : []).sort()
        )
      }
    }))

  it.effect("are those of the table in docs/operations.md", () =>
    Effect.sync(() => {
      const all = register.getMetricsAsArray().filter(({ name }) => name.startsWith("belltower_")).map((metric) => {
        const { labelNames = [], name, type }: { labelNames?: ReadonlyArray<string>; name: string; type?: unknown } = metric
        return [name, String(type), labelNames.join(", "), roleText(metricRoles[name] ?? [])].join(" | ")
      })
      expect([...documented()].sort()).toEqual([...all].sort())
    }))

  it.effect("are all that alerts and dashboards ask for, with their labels", () =>
    Effect.sync(() => {
      expect(new Set(expressions().map(({ file }) => file)).size).toBe(7)
      expect(expressions().filter(({ file }) => file === "rules.yaml").length).toBeGreaterThan(15)
      expect(expressions().flatMap(({ expr, file }) => missingFor(expr).map((name) => `${file}: ${name}`))).toEqual([])
      expect(missingFor("sum by (region) (rate(belltower_checks_total{outcom=\"up\"}[5m])) + belltower_gone")).toEqual([
        "belltower_checks_total{outcom}",
        "belltower_gone"
      ])
      expect(missingFor("max by (workspace) (belltower_shards_held)")).toEqual(["workspace"])
    }))

  it.effect("say which program it is, what a runner holds, and how many connections are in use", () =>
    Effect.gen(function*() {
      expect(yield* metricValue("belltower_build_info", { version: programVersion, role: "all" })).toBe(1)
      yield* until(metricValue("belltower_shards_held"), (shards) => shards === 64)
      yield* until(metricValue("belltower_actors"), (actors) => actors === 0)
      // The pool of the program, and that of the test.
      yield* until(metricValue("belltower_database_pool_max_connections"), (connections) => connections === 9)
      expect(yield* metricValue("belltower_database_pool_connections", { state: "idle" })).toBeGreaterThan(0)
      yield* until(metricValue("belltower_database_size_bytes"), (bytes) => Number(bytes) > 1_000_000)
      expect(yield* metricValue("belltower_database_max_connections")).toBeGreaterThan(10)
      expect(yield* metricValue("belltower_database_connections")).toBeGreaterThan(0)
    }))

  it.effect("of a workspace's monitors follow them, too", () =>
    Effect.sync(() => {
      const text = makeMetricsText()
      text.add([
        { id: "mon_1", name: "Shop", kind: "http", state: "up", since: 0, lastAt: 1, latencyMs: 2, outcome: "up" }
      ])
      expect(parsed(text.pieces().join("")).length).toBeGreaterThan(4)
      expect(complaints(text.pieces().join(""))).toEqual([])
    }))

  it.effect("would be found otherwise", () =>
    Effect.sync(() => {
      const text = (name: string, type: string, help = "Things") => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} 1\n`
      expect(complaints(text("nodejs_active_handles_total", "gauge"))).toEqual([
        "nodejs_active_handles_total: a gauge must not end in _total"
      ])
      expect(complaints(text("belltower_pings", "counter"))).toEqual(["belltower_pings: a counter must end in _total"])
      expect(complaints(text("belltower_wait_ms", "gauge"))).toEqual(["belltower_wait_ms: its unit is not a base unit"])
      expect(complaints(text("belltower_wait", "gauge", "How long it waits"))).toHaveLength(1)
      expect(complaints(text("belltower_things", "gauge", ""))).toEqual(["belltower_things: it has no help"])
    }))
})
