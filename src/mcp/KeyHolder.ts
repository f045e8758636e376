/** Authenticates API keys for /mcp, the endpoint with every tool. (Specification: Authentication, 3.) */
import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import { Unauthorized } from "../../schema/Errors.ts"
import { Authenticate, type Credentials } from "../operations/access/Authenticate.ts"

/** Session cookies are not accepted on MCP. */
const keyCredentials = ({ headers }: HttpServerRequest.HttpServerRequest): Credentials => ({
  authorization: headers["authorization"]?.trim() ?? "",
  misplacedKey: "x-api-key" in headers,
  sessionToken: undefined,
  workspace: undefined,
  acceptsSession: false
})

/**
 * Resolves the caller from the key of a request. Fails with a 401 that says what to do next. A client with a session had a key, so it has a
 * workspace already and is not invited to make another.
 */
export const keyHolder = (baseUrl: string) => {
  const send = "Send the header Authorization: Bearer bell_live_..."
  const newcomer = `${send} If you have no key, connect to ${baseUrl}/mcp/public and call bootstrap_workspace`
  const member = `${send} with every message, with the key of the workspace that you already have`
  return Effect.fn("KeyHolder.find")(function*(request: HttpServerRequest.HttpServerRequest) {
    const access = yield* Authenticate
    const hint = request.headers["mcp-session-id"] === undefined ? newcomer : member
    return yield* Effect.mapError(access.caller(keyCredentials(request)), ({ details, message }) =>
      // A key that expired or was revoked has details.
      details === undefined
        ? new Unauthorized({ message, hint })
        : new Unauthorized({ message, hint: `Reconnect with another key; the tool create_api_key makes one. ${hint}`, details }))
  })
}
