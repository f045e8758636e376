/** Lets callers with a working API key in, for the endpoint that has every tool. (Specification: Authentication, 3.) */
import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import { Unauthorized } from "../../schema/Errors.ts"
import { Authenticate, type Credentials } from "../operations/access/Authenticate.ts"

/** A browser's session does not open MCP. */
const keyAlone = ({ headers }: HttpServerRequest.HttpServerRequest): Credentials => ({
  authorization: headers["authorization"]?.trim() ?? "",
  sessionToken: undefined,
  workspace: undefined,
  acceptsSession: false
})

/** The caller with the key that a request carries; fails with a 401 that names the endpoint for callers without one. */
export const keyHolder = (baseUrl: string) => {
  const hint = "Send the header Authorization: Bearer bell_live_... " +
    `Without a key, connect to ${baseUrl}/mcp/public and call bootstrap_workspace`
  return Effect.fn("KeyHolder.find")(function*(request: HttpServerRequest.HttpServerRequest) {
    const access = yield* Authenticate
    return yield* Effect.mapError(access.caller(keyAlone(request)), ({ message }) => new Unauthorized({ message, hint }))
  })
}
