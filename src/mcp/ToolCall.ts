/** Calls an operation with a tool's arguments. */
import type { HttpServerRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import type { Operation } from "../http/openapi/Operations.ts"
import { clientHeaders } from "../http/request/Applicant.ts"
import type { Application } from "../http/server/Application.ts"
import * as InProcess from "../http/server/InProcessCall.ts"

export type Arguments = InProcess.Arguments
export type Caller = Omit<InProcess.Caller, "surface">

/** Headers with the caller's identity and origin. Never cookies: MCP does not accept sessions of browsers. */
const forwardedHeaders = ["authorization", "sec-fetch-site", ...clientHeaders]

/** `hasKey` is false where keys are ignored: nothing is then done in the name of one. */
export const callerOf = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest, hasKey: boolean): Caller => ({
  headers: Object.fromEntries(
    Object.entries(headers).filter(([name]) => forwardedHeaders.includes(name) && (hasKey || name !== "authorization"))
  ),
  remoteAddress: Option.getOrUndefined(remoteAddress)
})

export interface Answered {
  readonly text: string
  readonly failed: boolean
}

/** Calls an operation. Failures are answers with the envelope of REST. (Specification: Errors, Other rules.) */
export const callOperation = (app: Application, operation: Operation, given: Arguments, caller: Caller) =>
  Effect.map(
    InProcess.callOperation(app, operation, given, { ...caller, surface: "mcp" }),
    ({ status, text }): Answered => ({ text, failed: status >= 400 })
  )
