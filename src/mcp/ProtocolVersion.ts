/**
 * Refuses requests in a version of the protocol that is not served, with the error that the protocol defines for it. Its list of versions
 * contains only those that begin with `initialize`, so a client that also speaks these falls back to them.
 * (MCP 2026-07-28, Versioning: Protocol Version Negotiation; Streamable HTTP: Protocol Version Header.)
 */
import { HttpServerResponse } from "@effect/platform"
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import { Option, Predicate } from "effect"

/** `UnsupportedProtocolVersionError`. */
const unsupportedVersion = -32022

/** Where requests of versions without `initialize` name their version, beside the header. */
const versionMeta = "io.modelcontextprotocol/protocolVersion"

const at = (value: unknown, name: string): unknown => (Predicate.isRecord(value) ? value[name] : undefined)

const isInitialize = (message: unknown): boolean => at(message, "method") === "initialize"

/** The version that a message names itself. */
const namedIn = (message: unknown): Option.Option<string> =>
  Option.liftPredicate(at(at(at(message, "params"), "_meta"), versionMeta), Predicate.isString)

/** The version of a request that is not served; none for one that is, and for `initialize`, which negotiates. */
export const unservedVersion = (version: string | undefined, message: unknown): Option.Option<string> =>
  isInitialize(message)
    ? Option.none()
    : Option.firstSomeOf([namedIn(message), Option.fromNullable(version)]).pipe(
      Option.filter((named) => !SUPPORTED_PROTOCOL_VERSIONS.includes(named))
    )

const idOf = (message: unknown): string | number | null => {
  const id = at(message, "id")
  return Predicate.isString(id) || Predicate.isNumber(id) ? id : null
}

export const versionRefused = (requested: string, message: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson({
    jsonrpc: "2.0",
    id: idOf(message),
    error: {
      code: unsupportedVersion,
      message: "Unsupported protocol version",
      data: { supported: SUPPORTED_PROTOCOL_VERSIONS, requested: requested.slice(0, 40) }
    }
  }, { status: 400 })
