/** Every metric of every role obeys the conventions of Prometheus, as promtool and the OpenMetrics specification state them. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { register } from "prom-client"
import { makeMetricsText } from "../../../src/domain/monitor/MonitorMetrics.ts"
import { TestProgram } from "../../support/Program.ts"
import { call } from "../../support/TestServer.ts"

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
      expect(names).toHaveLength(register.getMetricsAsArray().length)
      expect(complaints(text)).toEqual([])
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
