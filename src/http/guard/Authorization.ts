/** Reads from a request what shows who sends it, and hands the admitted caller to the operation. (Specification: Authentication.) */
import type { HttpServerRequest } from "@effect/platform"
import { Effect, Layer } from "effect"
import { ReadAccess, WriteAccess } from "../../../schema/api/Access.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Authenticate, type Credentials } from "../../operations/access/Authenticate.ts"
import { Admission } from "./Admission.ts"
import { isSameOrigin, sessionToken } from "./SessionCookie.ts"

type Request = HttpServerRequest.HttpServerRequest

const isWrite = ({ method }: Request) => method !== "GET" && method !== "HEAD"

/** With an `Authorization` header nothing else counts, so cookies are not even parsed. */
export const credentialsOf = (request: Request, baseUrl: string): Credentials => {
  const authorization = request.headers["authorization"]?.trim() ?? ""
  if (authorization !== "") return { authorization, sessionToken: undefined, workspace: undefined, acceptsSession: false }
  return {
    authorization,
    sessionToken: sessionToken(request, baseUrl),
    workspace: request.headers["x-workspace"],
    acceptsSession: !isWrite(request) || isSameOrigin(request, baseUrl)
  }
}

/** What authentication needs. */
export type AccessNeeds = Authenticate | BaseUrl

/** The sender of a request outside the registry's operations. */
export const authenticate = (request: Request) =>
  Effect.flatMap(Authenticate, (access) => Effect.flatMap(BaseUrl, (baseUrl) => access.caller(credentialsOf(request, baseUrl))))

/** The guards admit the caller before the operation runs; without guards no operation runs. */
const admitted = Effect.flatMap(
  Admission,
  (caller) => caller === null ? Effect.dieMessage("An operation ran outside its guards") : Effect.succeed(caller)
)

/** The middleware that the registry's guarded operations ask for. */
export const layer: Layer.Layer<ReadAccess | WriteAccess> = Layer.merge(
  Layer.succeed(ReadAccess, ReadAccess.of({ bearer: () => admitted })),
  Layer.succeed(WriteAccess, WriteAccess.of({ bearer: () => admitted }))
)
