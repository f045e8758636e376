/** Reads a request's credentials. (Specification: Authentication.) */
import type { HttpServerRequest } from "@effect/platform"
import { Context, Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Authenticate, type Credentials } from "../../operations/access/Authenticate.ts"
import { isSameOrigin } from "../request/RequestSite.ts"
import { sessionToken } from "./SessionCookie.ts"

type Request = HttpServerRequest.HttpServerRequest

const isWrite = ({ method }: Request) => method !== "GET" && method !== "HEAD"

/** An `Authorization` header takes precedence, so cookies are not even parsed then. */
export const credentialsOf = (request: Request, baseUrl: string): Credentials => {
  const authorization = request.headers["authorization"]?.trim() ?? ""
  if (authorization !== "") {
    return { authorization, misplacedKey: false, sessionToken: undefined, workspace: undefined, acceptsSession: false }
  }
  return {
    authorization,
    misplacedKey: "x-api-key" in request.headers,
    sessionToken: sessionToken(request, baseUrl),
    workspace: request.headers["x-workspace"],
    acceptsSession: !isWrite(request) || isSameOrigin(request)
  }
}

export type AccessNeeds = Authenticate | BaseUrl

/** The caller of a route outside the registry. */
export const authenticate = (request: Request) =>
  Effect.flatMap(Authenticate, (access) => Effect.flatMap(BaseUrl, (baseUrl) => access.caller(credentialsOf(request, baseUrl))))

/** The caller whom a surface has authenticated before it calls operations in the process; null if the credentials identify it. */
export class Authenticated extends Context.Reference<Authenticated>()("belltower/Authenticated", {
  defaultValue: (): Caller | null => null
}) {}
