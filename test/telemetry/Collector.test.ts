/** A collector that is down, slow or refuses costs no more than a bounded part of what it should get. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, Effect, Layer, Option } from "effect"
import { makeTelemetry } from "../../src/deployment/MakeTelemetry.ts"
import { readSettings } from "../../src/settings/Settings.ts"
import { type OpenSpan, Tracing } from "../../src/telemetry/Tracing.ts"
import { collectingLog } from "../support/measure/CollectingLog.ts"
import { freePort } from "../support/network/FreePort.ts"
import { localCollector } from "../support/services/LocalCollector.ts"
import { until } from "../support/time/Until.ts"

const source = { role: "api", region: null, instanceId: "one" } as const

/** The tracing of a process with these settings, and the lines that it logs. */
const process = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const settings = yield* readSettings("all", environment)
    const given = yield* settings.telemetry
    const logger = collectingLog(lines)
    const context = yield* Layer.build(makeTelemetry(given, source)).pipe(Effect.provide(logger))
    return { lines, tracing: Option.getOrThrow(Option.fromNullable(yield* Effect.provide(Tracing, context))) }
  })

const spansOnly = { OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none", OTEL_EXPORTER_OTLP_TIMEOUT: "200" }
const begin = { kind: "internal", parent: null, attributes: {} } as const

describe("a collector", () => {
  it.scopedLive("that never answers gets a few requests, then nothing for a while", () =>
    Effect.gen(function*() {
      const collector = yield* localCollector("silence")
      const { lines, tracing } = yield* process({ ...spansOnly, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
      const work = (count: number) => Effect.sync(() => Arr.range(1, count).forEach(() => tracing.begin("work", begin)?.end()))
      yield* work(50_000)
      yield* until(Effect.sync(() => lines), ({ length }) => length > 0)
      expect(lines).toEqual(["Sending traces to the collector failed; retrying: No answer within 200 ms"])
      yield* work(50_000)
      expect(collector.begun()).toBeLessThanOrEqual(8)
      expect(collector.spans().length).toBeLessThanOrEqual(8 * 512)
    }))

  it.scopedLive("that refuses is named in the log once, with its status", () =>
    Effect.gen(function*() {
      const collector = yield* localCollector(401)
      const { lines, tracing } = yield* process({ ...spansOnly, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
      Arr.range(1, 2_000).forEach(() => tracing.begin("work", begin)?.end())
      yield* until(Effect.sync(() => lines), ({ length }) => length > 0)
      expect(lines).toEqual(["Sending traces to the collector failed; retrying: status 401"])
    }))

  it.scopedLive("that is not there is named once, and delays neither work nor the end of the program", () =>
    Effect.gen(function*() {
      const port = yield* freePort
      const { lines, tracing } = yield* process({ ...spansOnly, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
      Arr.range(1, 5_000).forEach(() => tracing.begin("work", begin)?.end())
      yield* until(Effect.sync(() => lines), ({ length }) => length > 0)
      Arr.range(1, 5_000).forEach(() => tracing.begin("work", begin)?.end())
      expect(lines.length).toBe(1)
      expect(lines[0]).toContain("Sending traces to the collector failed; retrying: ")
    }))

  it.scopedLive("gets the part of traces that its sampler takes, and whole ones", () =>
    Effect.gen(function*() {
      const collector = yield* localCollector()
      const ratio = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" }
      const { tracing } = yield* process({ ...spansOnly, ...ratio, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/mine` })
      const roots = Arr.range(1, 5_000).flatMap((): ReadonlyArray<OpenSpan> => {
        const span = tracing.begin("work", begin)
        return span === null ? [] : [span]
      })
      expect(roots.length).toBeGreaterThan(350)
      expect(roots.length).toBeLessThan(650)
      const below = roots.map(({ traceparent }) => tracing.begin("work", { ...begin, parent: traceparent }))
      expect(below.every((span) => span !== null)).toBe(true)
      const unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
      expect(tracing.begin("work", { ...begin, parent: unsampled })).toBeNull()
      Arr.range(1, 600).forEach(() => roots[0]?.end())
      yield* until(Effect.sync(() => collector.sent), ({ length }) => length > 0)
      expect(collector.sent[0]?.path).toBe("/mine")
    }))
})
