/** Sends spans, metrics and log lines to the operator's collector by OTLP. Loaded only if one is set. */
import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import * as OtlpResource from "@effect/opentelemetry/OtlpResource"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { Clock, ConfigProvider, Duration, Effect, Layer, Logger, Redacted } from "effect"
import { randomInt } from "node:crypto"
import { programVersion } from "../../schema/ProgramVersion.ts"
import { exportedBy } from "../http/server/MetricRoles.ts"
import type { Role } from "../settings/Settings.ts"
import type { Protocol, TelemetrySettings } from "../settings/TelemetrySettings.ts"
import { makeCollector } from "../telemetry/Collector.ts"
import { makeTracing } from "../telemetry/MakeTracing.ts"
import { otlpMetrics } from "../telemetry/OtlpMetrics.ts"
import { makeSampler } from "../telemetry/Sampler.ts"
import { spansOnly } from "../telemetry/SpanJson.ts"
import { Tracing } from "../telemetry/Tracing.ts"
import { withSpanOfTrace } from "./LogIds.ts"

/** The process that the telemetry is about. */
export interface TelemetrySource {
  readonly role: Role
  /** The region whose checks the process runs; null if it runs none or does not know it yet. Spans of checks name it in any case. */
  readonly region: string | null
  /** Unique for each start. */
  readonly instanceId: string
}

/** Spans or lines of one request. */
const batchSize = 512
/** The most that the end of the program waits for the collector. */
const lastExport = Duration.seconds(2)

const resourceOf = ({ attributes, serviceName }: TelemetrySettings, { instanceId, region, role }: TelemetrySource) => ({
  serviceName,
  serviceVersion: programVersion,
  attributes: {
    "service.instance.id": instanceId,
    "belltower.role": role,
    ...(region === null ? {} : { "belltower.region": region }),
    ...attributes
  }
})

/** The library would read the environment once more, past the settings. */
const withoutEnvironment = Effect.withConfigProvider(ConfigProvider.fromMap(new Map()))

const encodings: Readonly<Record<Protocol, Layer.Layer<OtlpSerialization.OtlpSerialization>>> = {
  "http/json": OtlpSerialization.layerJson,
  "http/protobuf": OtlpSerialization.layerProtobuf
}

const draws = 2 ** 32

/** A number from 0 up to 1. */
const draw = (): number => randomInt(draws) / draws

const optionsFor = (settings: TelemetrySettings, source: TelemetrySource, url: string) => ({
  url,
  headers: Redacted.value(settings.headers),
  resource: resourceOf(settings, source),
  maxBatchSize: batchSize,
  shutdownTimeout: lastExport
})

const collectorOf = (signal: string, { timeoutMs }: TelemetrySettings) =>
  Layer.effect(HttpClient.HttpClient, makeCollector(signal, timeoutMs)).pipe(Layer.provide(FetchHttpClient.layer))

const tracesTo = (url: string, settings: TelemetrySettings, source: TelemetrySource) =>
  Layer.scoped(
    Tracing,
    Effect.gen(function*() {
      const tracer = yield* withoutEnvironment(OtlpTracer.make(optionsFor(settings, source, url)))
      return makeTracing(tracer, makeSampler(settings.sampler, draw), yield* Effect.clock)
    })
  ).pipe(Layer.provide(collectorOf("traces", settings)), Layer.provide(spansOnly(encodings[settings.protocols.traces])))

const logsTo = (url: string, settings: TelemetrySettings, source: TelemetrySource) =>
  Logger.addScoped(
    Effect.map(
      withoutEnvironment(OtlpLogger.make({ ...optionsFor(settings, source, url), excludeLogSpans: true })),
      withSpanOfTrace
    )
  ).pipe(Layer.provide(collectorOf("logs", settings)), Layer.provide(encodings[settings.protocols.logs]))

const nanos = Effect.map(Clock.currentTimeMillis, (now) => `${now}000000`)

const metricsTo = (url: string, settings: TelemetrySettings, source: TelemetrySource) =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    const encoding = yield* OtlpSerialization.OtlpSerialization
    const resource = OtlpResource.make(resourceOf(settings, source))
    const scope = { name: settings.serviceName }
    const from = yield* nanos
    const send = Effect.gen(function*() {
      const metrics = otlpMetrics(yield* Effect.promise(() => exportedBy(source.role).getMetricsAsJSON()), {
        from,
        to: yield* nanos
      })
      yield* client.post(url, {
        headers: Redacted.value(settings.headers),
        body: encoding.metrics({ resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] })
      })
    }).pipe(Effect.catchAllCause((cause) => Effect.logDebug("Sending metrics failed", cause)))
    yield* Effect.addFinalizer(() => Effect.interruptible(send).pipe(Effect.timeoutOption(lastExport)))
    yield* Effect.forkScoped(Effect.forever(Effect.delay(send, settings.metricsEveryMs)))
  })).pipe(Layer.provide(collectorOf("metrics", settings)), Layer.provide(encodings[settings.protocols.metrics]))

const ifSent = (url: string | null, layer: (url: string) => Layer.Layer<never>): Layer.Layer<never> =>
  url === null ? Layer.empty : layer(url)

export const makeTelemetry = (settings: TelemetrySettings, source: TelemetrySource): Layer.Layer<never> => {
  const { logs, metrics, traces } = settings.addresses
  return Layer.mergeAll(
    ifSent(traces, (url) => tracesTo(url, settings, source)),
    ifSent(metrics, (url) => metricsTo(url, settings, source)),
    ifSent(logs, (url) => logsTo(url, settings, source))
  )
}
