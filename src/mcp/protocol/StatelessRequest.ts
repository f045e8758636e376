/**
 * Vets a request of the version without sessions: its fields of `_meta`, and the headers that repeat fields of its body for
 * intermediaries. (MCP 2026-07-28, Overview: _meta; Streamable HTTP: Request Metadata.)
 */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import { Predicate } from "effect"
import { beginsWithInitialize, servedVersions } from "./ProtocolVersion.ts"

/** The codes that the version defines. */
const headerMismatch = -32020
export const missingCapability = -32021
const unsupportedVersion = -32022

export interface Refusal {
  readonly status: 400 | 404
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The status of a response with an error that its version gives one; null for other errors, which keep the status of an answer. */
export const statusOf = (code: number | null): number | null =>
  code === Number(ErrorCode.MethodNotFound) ? 404 : code === headerMismatch || code === missingCapability ? 400 : null

type Headers = Readonly<Record<string, string | undefined>>

export type JsonObject = Readonly<Record<string, unknown>>

export const at = (value: unknown, name: string): unknown => (Predicate.isRecord(value) ? value[name] : undefined)

/** An object at a field; an empty one where there is none. */
export const objectAt = (value: unknown, name: string): JsonObject => {
  const found = at(value, name)
  return Predicate.isRecord(found) ? found : {}
}

/** The fields of `_meta` in a request. */
const metaOf = (message: unknown): JsonObject => objectAt(at(message, "params"), "_meta")

const named = (name: string) => `io.modelcontextprotocol/${name}`

const capabilitiesField = named("clientCapabilities")
const versionField = named("protocolVersion")

/** The questions that the client of a request can be asked. */
export const declaredIn = (message: unknown): JsonObject => objectAt(metaOf(message), capabilitiesField)

/** The version that a request names in its body. */
const versionIn = (message: unknown): string | null => {
  const version = metaOf(message)[versionField]
  return typeof version === "string" ? version : null
}

/**
 * Whether messages belong to a version without sessions, or to one that nobody knows. An `initialize` without its fields
 * negotiates instead, whatever the header says.
 */
export const isStateless = (headers: Headers, messages: unknown): boolean => {
  const inHeader = headers["mcp-protocol-version"]
  const inBody = versionIn(messages)
  if (inBody !== null) return !beginsWithInitialize(inBody) || (inHeader !== undefined && !beginsWithInitialize(inHeader))
  return inHeader !== undefined && !beginsWithInitialize(inHeader) && at(messages, "method") !== "initialize"
}

const refused = (code: number, message: string, data?: unknown): Refusal => ({
  status: code === ErrorCode.MethodNotFound ? 404 : 400,
  error: { code, message, ...(data === undefined ? {} : { data }) }
})

/** Keeps what a refusal repeats of a request short. */
const short = (text: string): string => text.slice(0, 40)

const unserved = (version: string): Refusal =>
  refused(unsupportedVersion, "Unsupported protocol version", { supported: servedVersions, requested: short(version) })

const mismatch = (header: string, given: string | undefined, expected: string): Refusal =>
  refused(
    headerMismatch,
    given === undefined
      ? `The header ${header} is missing; send it with the value of the body`
      : `The header ${header} is ${short(given)}, but the body has ${short(expected)}`
  )

const versionRefusal = (headers: Headers, message: unknown): Refusal | null => {
  const inHeader = headers["mcp-protocol-version"]
  const inBody = versionIn(message)
  if (inBody === null) {
    return inHeader !== undefined && !servedVersions.includes(inHeader)
      ? unserved(inHeader)
      : refused(ErrorCode.InvalidParams, `Invalid params: params._meta must have ${versionField}`)
  }
  if (inHeader !== inBody) return mismatch("MCP-Protocol-Version", inHeader, inBody)
  if (!servedVersions.includes(inBody)) return unserved(inBody)
  return Predicate.isRecord(metaOf(message)[capabilitiesField])
    ? null
    : refused(ErrorCode.InvalidParams, `Invalid params: params._meta must have ${capabilitiesField}`)
}

/** The parameter that Mcp-Name repeats. */
const nameFields: Readonly<Record<string, string>> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" }

const sentinel = /^=\?base64\?(.*)\?=$/

/** The text of a header, which may be encoded; null if it is encoded wrongly. */
const decoded = (value: string): string | null => {
  const [, encoded] = sentinel.exec(value) ?? []
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, "base64")
  // The decoder of Node skips what is no Base64.
  return bytes.toString("base64") === encoded ? bytes.toString() : null
}

const headerRefusal = (headers: Headers, message: unknown): Refusal | null => {
  const method = at(message, "method")
  if (typeof method !== "string") return null
  if (headers["mcp-method"] !== method) return mismatch("Mcp-Method", headers["mcp-method"], method)
  const field = nameFields[method]
  const name = field === undefined ? undefined : at(at(message, "params"), field)
  const given = headers["mcp-name"]
  return typeof name !== "string" || (given !== undefined && decoded(given) === name) ? null : mismatch("Mcp-Name", given, name)
}

/** Methods of earlier versions, which the SDK's server answers. */
const removed: ReadonlySet<unknown> = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe"
])

export const isNotification = (message: unknown): boolean => Predicate.isRecord(message) && !("id" in message)

/** Why a request is refused; null if it may be answered. The version has no notifications to servers, so those are ignored. */
export const statelessRefusal = (headers: Headers, message: unknown): Refusal | null => {
  if (Array.isArray(message)) return refused(ErrorCode.InvalidRequest, "Send one message in each request")
  if (isNotification(message)) return null
  const refusal = versionRefusal(headers, message) ?? headerRefusal(headers, message)
  if (refusal !== null) return refusal
  return removed.has(at(message, "method")) ? refused(ErrorCode.MethodNotFound, "Method not found") : null
}
