/** Settings of OpenTelemetry: the variables that every program with OTLP reads. Off unless one names a collector. */
import { Config, Either, Option, Redacted } from "effect"
import { commaList } from "../domain/tools/text/CommaList.ts"
import { withoutTrailing } from "../domain/tools/text/TrimText.ts"
import { samplerNames, type SamplerSettings } from "../telemetry/Sampler.ts"
import { oneOf, orDefault, secret, url, variable, whole } from "./SettingTypes.ts"

type Pairs = Readonly<Record<string, string>>

const decoded = Option.liftThrowable(decodeURIComponent)

const pairOf = (item: string): Option.Option<readonly [string, string]> => {
  const at = item.indexOf("=")
  return at < 1 ? Option.none() : Option.map(decoded(item.slice(at + 1).trim()), (value) => [item.slice(0, at).trim(), value])
}

const readPairs = (text: string): Option.Option<Pairs> =>
  Option.map(Option.all(commaList(text).map(pairOf)), (found) => Object.fromEntries(found))

const isHeader = ([name, value]: readonly [string, string]): boolean =>
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && /^[\t\x20-\x7e]*$/.test(value)

/** `name=value`, separated by commas, with values in URL encoding. */
const pairs = (name: string, fits = (_: readonly [string, string]) => true) =>
  variable(name, (text) => {
    const found = Option.filter(readPairs(text), (all) => Object.entries(all).every(fits))
    return Option.isSome(found) ? Either.right(text) : Either.left("must be name=value, separated by commas, in URL encoding")
  })

const pairsOf = (text: string): Pairs => Option.getOrElse(readPairs(text), () => ({}))

const address = (name: string) => Config.option(url(name, ["http:", "https:"]))

/** One of a few words; the first is the default. */
const word = <A extends string>(name: string, words: readonly [A, ...ReadonlyArray<A>]): Config.Config<A> =>
  orDefault(name, oneOf<A>(name, words), words[0])

const protocols = ["http/json", "http/protobuf"] as const
export type Protocol = (typeof protocols)[number]

const signalNames = ["traces", "metrics", "logs"] as const
export type Signal = (typeof signalNames)[number]

/** Where a signal goes: to its own address, or below that of all. */
const signal = (one: Signal) =>
  Config.all({
    own: address(`OTEL_EXPORTER_OTLP_${one.toUpperCase()}_ENDPOINT`),
    protocol: Config.option(oneOf<Protocol>(`OTEL_EXPORTER_OTLP_${one.toUpperCase()}_PROTOCOL`, protocols)),
    exporter: word<"otlp" | "none">(`OTEL_${one.toUpperCase()}_EXPORTER`, ["otlp", "none"])
  })

const ratio = variable("OTEL_TRACES_SAMPLER_ARG", (text) => {
  const value = Number(text)
  return text.trim() !== "" && value >= 0 && value <= 1
    ? Either.right(value)
    : Either.left(`must be a number from 0 to 1, not "${text}"`)
})

const sampler: Config.Config<SamplerSettings> = Config.all({
  name: word("OTEL_TRACES_SAMPLER", samplerNames),
  ratio: orDefault("OTEL_TRACES_SAMPLER_ARG", ratio, 1)
})

/** Where each signal goes; null for one that is not sent. */
export type SignalAddresses = Readonly<Record<Signal, string | null>>

export interface TelemetrySettings {
  readonly addresses: SignalAddresses
  readonly protocols: Readonly<Record<Signal, Protocol>>
  readonly headers: Redacted.Redacted<Pairs>
  readonly serviceName: string
  readonly attributes: Pairs
  readonly sampler: SamplerSettings
  /** Between two exports of metrics. */
  readonly metricsEveryMs: number
  /** For one request to the collector. */
  readonly timeoutMs: number
}

interface Addressed {
  readonly own: Option.Option<string>
  readonly exporter: "otlp" | "none"
}

const addressOf = (one: Signal, all: Option.Option<string>, { exporter, own }: Addressed): string | null => {
  if (exporter === "none") return null
  const below = Option.map(all, (base) => `${withoutTrailing(base, "/")}/v1/${one}`)
  return Option.getOrNull(Option.orElse(own, () => below))
}

/** None without a collector. */
export const telemetry: Config.Config<Option.Option<TelemetrySettings>> = Config.all({
  isDisabled: word("OTEL_SDK_DISABLED", ["false", "true"]),
  protocol: word<Protocol>("OTEL_EXPORTER_OTLP_PROTOCOL", protocols),
  endpoint: address("OTEL_EXPORTER_OTLP_ENDPOINT"),
  traces: signal("traces"),
  metrics: signal("metrics"),
  logs: signal("logs"),
  headers: Config.option(secret("OTEL_EXPORTER_OTLP_HEADERS", pairs("OTEL_EXPORTER_OTLP_HEADERS", isHeader))),
  serviceName: Config.option(Config.nonEmptyString("OTEL_SERVICE_NAME")),
  attributes: Config.option(pairs("OTEL_RESOURCE_ATTRIBUTES")),
  sampler,
  metricsEveryMs: whole("OTEL_METRIC_EXPORT_INTERVAL", 1_000, 3_600_000, 60_000),
  timeoutMs: whole("OTEL_EXPORTER_OTLP_TIMEOUT", 100, 60_000, 10_000)
}).pipe(Config.map(({ attributes, endpoint, headers, isDisabled, protocol, serviceName, ...rest }) => {
  const addresses: SignalAddresses = {
    traces: addressOf("traces", endpoint, rest.traces),
    metrics: addressOf("metrics", endpoint, rest.metrics),
    logs: addressOf("logs", endpoint, rest.logs)
  }
  if (isDisabled === "true" || signalNames.every((one) => addresses[one] === null)) return Option.none()
  const { "service.name": named = "belltower", ...others } = pairsOf(Option.getOrElse(attributes, () => ""))
  return Option.some({
    addresses,
    protocols: {
      traces: Option.getOrElse(rest.traces.protocol, () => protocol),
      metrics: Option.getOrElse(rest.metrics.protocol, () => protocol),
      logs: Option.getOrElse(rest.logs.protocol, () => protocol)
    },
    headers: Option.getOrElse(
      Option.map(headers, (text) => Redacted.make(pairsOf(Redacted.value(text)))),
      () => Redacted.make({})
    ),
    serviceName: Option.getOrElse(serviceName, () => named),
    attributes: others,
    sampler: rest.sampler,
    metricsEveryMs: rest.metricsEveryMs,
    timeoutMs: rest.timeoutMs
  })
}))
