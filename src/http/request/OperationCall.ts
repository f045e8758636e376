/** A request to an operation in one form, however the client wrote it. */
import type { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import type { Effect } from "effect"
import type { BadRequest, PayloadTooLarge, ValidationFailed } from "../../../schema/Errors.ts"

export type Request = HttpServerRequest.HttpServerRequest
export type Query = Readonly<Record<string, string | Array<string>>>
export type Fields = Readonly<Record<string, unknown>>

/** The contents of a body; empty if the operation has no payload. */
export interface CallBody {
  readonly fields: Fields | null
  readonly payload: unknown
}

export interface OperationCall {
  readonly request: Request
  readonly params: HttpRouter.RouteContext["params"]
  readonly query: Query
  /** Reads, checks and decodes the body each time it runs, so it runs once, after the caller is admitted. */
  readonly body: Effect.Effect<CallBody, BadRequest | PayloadTooLarge | ValidationFailed>
}

export type CallHandler = (
  call: OperationCall
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpRouter.HttpRouter.DefaultServices | HttpRouter.HttpRouter.Provided
>
