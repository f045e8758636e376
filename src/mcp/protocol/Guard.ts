/**
 * Checks the Host, the protocol version and the API key of MCP requests.
 * In a DNS rebinding attack, a web page points its own name at this server, so its requests carry that name as Host (MCP,
 * Transports, Security Warning). A Host that is an IP address cannot be rebound.
 */
import type { HttpServerRequest } from "@effect/platform"
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import { BadRequest, Forbidden, Unauthorized } from "../../../schema/Errors.ts"
import { hostNameOf, makeServedHosts } from "../../domain/access/ServedHosts.ts"
import { Authenticate, type Credentials } from "../../operations/access/Authenticate.ts"

type Request = HttpServerRequest.HttpServerRequest

const unknownHost = (name: string | null) =>
  new Forbidden({
    message: `This MCP endpoint is not served at ${name === null ? "this Host" : name.slice(0, 253)}`,
    hint: "Connect to the host of BELLTOWER_URL, or add this host to BELLTOWER_ALLOWED_HOSTS"
  })

/** Rejects unknown Hosts. `allowedHosts` are names, `*.name` or `*`; the host of `baseUrl` is always allowed. */
export const makeHostCheck = (baseUrl: string, allowedHosts: ReadonlyArray<string>) => {
  const { serves } = makeServedHosts(baseUrl, allowedHosts)
  return Effect.fn("Guard.knownHost")(function*({ headers }: Request) {
    const { host } = headers
    if (!serves(host)) return yield* unknownHost(hostNameOf(host ?? ""))
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

/** Session cookies are not accepted on MCP. */
const keyCredentials = ({ headers }: Request): Credentials => ({
  authorization: headers["authorization"]?.trim() ?? "",
  misplacedKey: "x-api-key" in headers,
  sessionToken: undefined,
  workspace: undefined,
  acceptsSession: false
})

/** The caller of a key. A client with a session had a key, so it is not invited to make another workspace. */
export const keyHolder = (baseUrl: string) => {
  const send = "Send the header Authorization: Bearer bell_live_..."
  const newcomer = `${send} If you have no key, connect to ${baseUrl}/mcp/public and call bootstrap_workspace`
  const member = `${send} with every message, with the key of the workspace that you already have`
  return Effect.fn("KeyHolder.find")(function*(request: Request) {
    const access = yield* Authenticate
    const hint = request.headers["mcp-session-id"] === undefined ? newcomer : member
    return yield* Effect.mapError(access.caller(keyCredentials(request)), ({ details, message }) =>
      // A key that expired or was revoked has details.
      details === undefined
        ? new Unauthorized({ message, hint })
        : new Unauthorized({ message, hint: `Reconnect with another key; the tool create_api_key makes one. ${hint}`, details }))
  })
}
