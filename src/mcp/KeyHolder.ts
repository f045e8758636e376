/** Lets callers with a working API key in, for the endpoint that has every tool. (Specification: Authentication, 3.) */
import { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import { Unauthorized } from "../../schema/Errors.ts"
import { authenticate } from "../http/guard/Authorization.ts"

/** The same caller without a cookie: a browser's session does not open MCP. */
const byKeyAlone = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  HttpServerRequest.fromWeb(
    new Request("http://belltower.internal/", { headers: { authorization: headers["authorization"] ?? "" } })
  )

/** The access of the key that a request carries; fails with a 401 that names the endpoint for callers without one. */
export const keyHolder = (baseUrl: string) => {
  const hint = "Send the header Authorization: Bearer bell_live_... " +
    `Without a key, connect to ${baseUrl}/mcp/public and call bootstrap_workspace`
  return Effect.fn("KeyHolder.find")(function*(request: HttpServerRequest.HttpServerRequest) {
    return yield* Effect.mapError(
      authenticate(byKeyAlone(request)),
      ({ message }) => new Unauthorized({ message, hint })
    )
  })
}
