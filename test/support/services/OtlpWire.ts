/** Reads OTLP in protobuf into the JSON form, by the field numbers of opentelemetry-proto; independent of the program's encoder. */
import type { Json } from "../program/TestServer.ts"

type Kind = "text" | "hex" | "fixed64" | "double" | "varint" | "bool" | Shape
interface Shape {
  readonly [field: number]: readonly [name: string, kind: Kind, many?: true]
}

const anyValue: Shape = {
  1: ["stringValue", "text"],
  2: ["boolValue", "bool"],
  3: ["intValue", "varint"],
  4: ["doubleValue", "double"]
}
const keyValue: Shape = { 1: ["key", "text"], 2: ["value", anyValue] }
const resource: Shape = { 1: ["attributes", keyValue, true] }
const span: Shape = {
  1: ["traceId", "hex"],
  2: ["spanId", "hex"],
  4: ["parentSpanId", "hex"],
  5: ["name", "text"],
  6: ["kind", "varint"],
  7: ["startTimeUnixNano", "fixed64"],
  8: ["endTimeUnixNano", "fixed64"],
  9: ["attributes", keyValue, true],
  15: ["status", { 2: ["message", "text"], 3: ["code", "varint"] }]
}
const numberPoint: Shape = { 3: ["timeUnixNano", "fixed64"], 4: ["asDouble", "double"], 7: ["attributes", keyValue, true] }
const histogramPoint: Shape = {
  4: ["count", "fixed64"],
  5: ["sum", "double"],
  6: ["bucketCounts", "fixed64", true],
  7: ["explicitBounds", "double", true],
  9: ["attributes", keyValue, true]
}
const metric: Shape = {
  1: ["name", "text"],
  5: ["gauge", { 1: ["dataPoints", numberPoint, true] }],
  7: ["sum", { 1: ["dataPoints", numberPoint, true] }],
  9: ["histogram", { 1: ["dataPoints", histogramPoint, true] }]
}
const record: Shape = { 1: ["timeUnixNano", "fixed64"], 5: ["body", anyValue], 6: ["attributes", keyValue, true] }

/** Resource, then scopes, then what they hold. */
const request = (of: string, scopes: string, records: string, shape: Shape): Shape => ({
  1: [of, { 1: ["resource", resource], 2: [scopes, { 2: [records, shape, true] }, true] }, true]
})

const shapes: Readonly<Record<string, Shape>> = {
  "/v1/traces": request("resourceSpans", "scopeSpans", "spans", span),
  "/v1/metrics": request("resourceMetrics", "scopeMetrics", "metrics", metric),
  "/v1/logs": request("resourceLogs", "scopeLogs", "logRecords", record)
}

const read = (bytes: Buffer, shape: Shape): Json => {
  const found: Json = {}
  for (const [name, , many] of Object.values(shape)) if (many === true) found[name] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n;; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const scalar = (kind: Kind, raw: Buffer): Json => {
    switch (kind) {
      case "text":
        return raw.toString("utf8")
      case "hex":
        return raw.toString("hex")
      case "fixed64":
        return String(raw.readBigUInt64LE())
      case "double":
        return raw.readDoubleLE()
      default:
        return typeof kind === "object" ? read(raw, kind) : null
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const [field, wire] = [tag >> 3, tag & 7]
    const [name, kind, many] = shape[field] ?? ["", "text"]
    const put = (value: Json): void => {
      if (name === "") return
      if (many === true) found[name].push(value)
      else found[name] = value
    }
    if (wire === 0) {
      const value = varint()
      put(kind === "bool" ? value === 1n : Number(value))
      continue
    }
    const length = wire === 1 ? 8 : wire === 5 ? 4 : Number(varint())
    const raw = bytes.subarray(at, at + length)
    at += length
    // Repeated numbers are packed.
    const isPacked = wire === 2 && (kind === "double" || kind === "fixed64")
    if (!isPacked) put(scalar(kind, raw))
    else for (let place = 0; place < raw.length; place += 8) put(scalar(kind, raw.subarray(place, place + 8)))
  }
  return found
}

export const otlpOf = (path: string, bytes: Buffer): Json => read(bytes, shapes[path] ?? {})
