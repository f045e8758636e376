/** The wire format of bus messages: JSON of the schemas in schema/check/Bus.ts, each decoder compiled once. */
import { Effect, Option, Predicate, Schema } from "effect"
import { Counter } from "prom-client"
import { Assignment, Beat, CheckCancel, CheckRequest, CheckResult, ServerNews, ServerTime } from "../../schema/check/Bus.ts"
import { Outcome } from "../../schema/check/Check.ts"
import { RegionId } from "../../schema/check/Region.ts"
import { type JsonLimits, jsonSize } from "../domain/tools/json/BoundedJson.ts"
import { counted } from "../domain/tools/text/Counted.ts"

export interface Wire<A> {
  readonly encode: (value: A) => string
  /** None when the bytes are not such a message. */
  readonly decode: (bytes: Uint8Array | null) => Option.Option<A>
}

/** Messages up to this many bytes are parsed as they are: nearly all are far smaller, and what they can become is little. */
const smallMessage = 16 * 1024
/** Limits of a large message, counted before it is parsed: a megabyte of brackets becomes many times as much. */
const jsonLimits: JsonLimits = { entries: 100_000, depth: 64 }

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const readJson = (bytes: Uint8Array): Option.Option<unknown> => {
  const text = Buffer.from(bytes).toString("utf8")
  if (bytes.length <= smallMessage) return parse(text)
  const { depth, entries } = jsonSize(text)
  return entries > jsonLimits.entries || depth > jsonLimits.depth ? Option.none() : parse(text)
}

const never = (_: unknown): _ is never => false

/** Takes only schemas without transformations: with `A extends I` a value is its own encoding. `isPlain` spares the schema. */
const wire = <A extends I, I>(schema: Schema.Schema<A, I>, isPlain: (value: unknown) => value is A = never): Wire<A> => {
  const decode = Schema.decodeUnknownOption(schema)
  return {
    encode: (value) => JSON.stringify(value),
    decode: (bytes) =>
      bytes === null
        ? Option.none()
        : Option.flatMap(readJson(bytes), (value) => isPlain(value) ? Option.some(value) : decode(value))
  }
}

const isRegion = Schema.is(RegionId)
const isOutcome = Schema.is(Outcome)

/** Regions already validated: a lookup is cheaper than a schema, and there are few regions. */
const known = new Set<unknown>()
const mostKnown = 1_000

const isKnownRegion = (value: unknown): boolean => {
  if (known.has(value)) return true
  if (!isRegion(value)) return false
  if (known.size < mostKnown) known.add(value)
  return true
}

const isNumberOrNull = (value: unknown): boolean => value === null || typeof value === "number"

const areTimings = (value: unknown): boolean =>
  value === null ||
  (Predicate.isRecord(value) && isNumberOrNull(value["dnsMs"]) && isNumberOrNull(value["connectMs"]) &&
    isNumberOrNull(value["tlsMs"]) && isNumberOrNull(value["firstByteMs"]) && typeof value["totalMs"] === "number")

/** Recognises the results without error, evidence or manifest, as nearly all are; the schema costs four times the parsing. */
export const isPlainResult = (value: unknown): value is CheckResult =>
  Predicate.isRecord(value) &&
  typeof value["checkId"] === "string" && typeof value["monitorId"] === "string" && typeof value["workspaceId"] === "string" &&
  Number.isSafeInteger(value["revision"]) && isKnownRegion(value["region"]) && Number.isSafeInteger(value["slot"]) &&
  typeof value["at"] === "number" && isOutcome(value["outcome"]) &&
  (value["statusCode"] === null || Number.isSafeInteger(value["statusCode"])) && isNumberOrNull(value["latencyMs"]) &&
  value["error"] === null && value["cause"] === null && areTimings(value["timings"]) && value["evidence"] === null &&
  value["manifest"] === undefined &&
  (value["attempt"] === undefined || Number.isSafeInteger(value["attempt"])) && typeof value["trusted"] === "boolean" &&
  (value["repeats"] === undefined || typeof value["repeats"] === "string") &&
  (value["traceparent"] === undefined || typeof value["traceparent"] === "string")

export const assignmentWire = wire(Assignment)
export const resultWire = wire(CheckResult, isPlainResult)
export const beatWire = wire(Beat)
export const timeWire = wire(ServerTime)
export const newsWire = wire(ServerNews)
export const requestWire = wire(Schema.Union(CheckRequest, CheckCancel))

const unreadable = new Counter({
  name: "belltower_bus_unreadable_messages_total",
  help: "Bus messages that were skipped because they could not be decoded",
  labelNames: ["topic"]
})

/** Counts skipped messages and logs their position, never their content. */
export const skipUnreadable = Effect.fn("Wire.skipUnreadable")(function*(
  topic: string,
  partition: number,
  offsets: ReadonlyArray<string>
) {
  if (offsets.length === 0) return
  unreadable.inc({ topic }, offsets.length)
  const where = `${topic}/${partition}, the first at offset ${offsets[0]}`
  yield* Effect.logError(`Skipped ${counted(offsets.length, "unreadable message")} of ${where}`)
})
