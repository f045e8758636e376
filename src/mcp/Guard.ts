/**
 * Checks the Host and the protocol version of MCP requests.
 * In a DNS rebinding attack, a web page points its own name at this server, so its requests carry that name as Host (MCP,
 * Transports, Security Warning). A Host that is an IP address cannot be rebound.
 */
import type { HttpServerRequest } from "@effect/platform"
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import ipaddr from "ipaddr.js"
import { BadRequest, Forbidden } from "../../schema/Errors.ts"

type Request = HttpServerRequest.HttpServerRequest

const hostname = (authority: string): string | null =>
  URL.canParse(`http://${authority}`) ? new URL(`http://${authority}`).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "") : null

const isLocal = (name: string) => name === "localhost" || name.endsWith(".localhost")

const matches = (allowed: string, name: string) => allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) : name === allowed

const unknownHost = (name: string | null) =>
  new Forbidden({
    message: `This MCP endpoint is not served at ${name === null ? "this Host" : name.slice(0, 253)}`,
    hint: "Connect to the host of BELLTOWER_URL, or add this host to BELLTOWER_ALLOWED_HOSTS"
  })

/** Rejects unknown Hosts. `allowedHosts` are names, `*.name` or `*`; the host of `baseUrl` is always allowed. */
export const makeHostCheck = (baseUrl: string, allowedHosts: ReadonlyArray<string>) => {
  const names = [new URL(baseUrl).hostname, ...allowedHosts.map((name) => name.toLowerCase())]
  const isServed = (name: string) =>
    names.includes("*") || ipaddr.isValid(name) || isLocal(name) || names.some((allowed) => matches(allowed, name))

  return Effect.fn("Guard.knownHost")(function*({ headers }: Request) {
    const host = hostname(headers["host"] ?? "")
    if (host === null || !isServed(host)) return yield* unknownHost(host)
  })
}

/** Rejects unsupported protocol versions. Without the header, the transport assumes a default version. */
export const spokenVersion = Effect.fn("Guard.spokenVersion")(function*({ headers }: Request) {
  const version = headers["mcp-protocol-version"]
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return
  return yield* new BadRequest({
    message: `MCP-Protocol-Version ${version.slice(0, 40)} is not supported`,
    hint: `Send one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}`
  })
})
