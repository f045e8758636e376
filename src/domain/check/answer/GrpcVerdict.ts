/** The messages of grpc.health.v1 in protocol buffers, each framed as gRPC does, and the verdict on an answer. */
import { down, type Problem } from "./CheckVerdict.ts"

const codes = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED"
]

const servingStates = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"]

export const codeName = (code: number): string => codes[code] ?? `code ${code}`

export const servingName = (state: number): string => servingStates[state] ?? `status ${state}`

const varint = (value: number): ReadonlyArray<number> => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)])

/** `HealthCheckRequest`, whose field 1 is the service, after a flag and the length. */
export const healthQuestion = (service: string): Buffer => {
  const name = Buffer.from(service)
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name])
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(message.length, 1)
  return Buffer.concat([frame, message])
}

/** A number in base 128, and where it ends; null if the bytes end before it does. */
const readVarint = (bytes: Uint8Array, from: number): readonly [value: number, end: number] | null => {
  let value = 0
  for (let index = from; index < bytes.length && index < from + 5; index++) {
    const byte = bytes[index] ?? 0
    value += (byte & 127) * 2 ** (7 * (index - from))
    if (byte < 128) return [value, index + 1]
  }
  return null
}

/** Where a field ends that is not read, by its wire type; null if that cannot be said. */
const skip = (bytes: Uint8Array, wireType: number, from: number): number | null => {
  if (wireType === 0) return readVarint(bytes, from)?.[1] ?? null
  if (wireType === 1) return from + 8
  if (wireType === 5) return from + 4
  const length = wireType === 2 ? readVarint(bytes, from) : null
  return length === null ? null : length[1] + length[0]
}

/** The serving status in a framed `HealthCheckResponse`, which omits it if it is 0; null if the bytes are none. */
export const readHealthAnswer = (bytes: Buffer): number | null => {
  if (bytes.length < 5 || bytes[0] !== 0 || bytes.length < 5 + bytes.readUInt32BE(1)) return null
  const message = bytes.subarray(5, 5 + bytes.readUInt32BE(1))
  let serving = 0
  for (let at = 0; at < message.length;) {
    const tag = readVarint(message, at)
    if (tag === null) return null
    const isStatus = tag[0] === 8
    const value = isStatus ? readVarint(message, tag[1]) : null
    if (isStatus && value === null) return null
    if (value !== null) serving = value[0]
    const end = skip(message, tag[0] & 7, tag[1])
    if (end === null || end > message.length) return null
    at = end
  }
  return serving
}

interface GrpcFacts extends Readonly<Record<"httpStatus" | "grpcStatus" | "serving", number | null>> {
  readonly grpcMessage: string
}

/** gRPC percent-encodes its messages (gRPC over HTTP/2, Status-Message). */
const readable = (message: string): string =>
  message.slice(0, 500).replace(
    /(?:%[0-9a-f]{2})+/gi,
    (encoded) => Buffer.from(encoded.replace(/%/g, ""), "hex").toString("utf8")
  )

/** Null if the service says that it serves. */
export const servingProblem = (service: string, { grpcMessage, grpcStatus, httpStatus, serving }: GrpcFacts): Problem | null => {
  const what = service === "" ? "the server" : `the service ${service}`
  if (httpStatus !== 200) return down("status", `Expected status 200 of a gRPC call, got ${httpStatus ?? "none"}`)
  if (grpcStatus === null) return down("grpc_error", "The answer has no gRPC status; the port may serve something else")
  if (grpcStatus === 12) return down("grpc_error", "The server has no health check (grpc.health.v1 is UNIMPLEMENTED)")
  if (grpcStatus === 5) return down("grpc_error", `The health check does not know ${what} (NOT_FOUND)`)
  if (grpcStatus !== 0) {
    const message = readable(grpcMessage)
    return down("grpc_error", `The health check failed: ${codeName(grpcStatus)}${message === "" ? "" : `: ${message}`}`)
  }
  if (serving === null) return down("grpc_error", "The answer of the health check is not valid")
  return serving === 1 ? null : down("not_serving", `The health check says that ${what} is ${servingName(serving)}`)
}
