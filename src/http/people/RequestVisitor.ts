/** Reads the visitor of a request: session, browser, client address and user agent. */
import type { HttpServerRequest } from "@effect/platform"
import type { Visitor } from "../../operations/people/PersonSessions.ts"
import { browserToken, sessionToken } from "../guard/SessionCookie.ts"
import { clientAddress } from "../request/ClientAddress.ts"

export const visitorOf = (request: HttpServerRequest.HttpServerRequest, baseUrl: string): Visitor => ({
  sessionToken: sessionToken(request, baseUrl),
  browserToken: browserToken(request, baseUrl),
  ip: clientAddress(request),
  userAgent: request.headers["user-agent"] ?? null
})
