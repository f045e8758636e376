/** A JSON-RPC error. The SDK sends its code, message and data unchanged. */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import { Cause, Data, Effect } from "effect"
import { envelopeOf } from "../../../schema/Errors.ts"
import { failureOf } from "../../http/server/Envelope.ts"

export class ProtocolError extends Data.TaggedError("ProtocolError")<{
  readonly code: number
  readonly message: string
  readonly data?: unknown
}> {}

/** The request names something unknown, or lacks an argument. */
export const invalidParams = (message: string) => new ProtocolError({ code: ErrorCode.InvalidParams, message })

/** The refusal of a name in the request, which can be as long as the request. */
export const unknown = (noun: string, name: string) => `Unknown ${noun}: ${name.slice(0, 200)}`

/** The code of versions with sessions for an unknown resource. The SDK has no constant for it. */
export const resourceNotFound = -32002

export const noResource = (uri: string, message = unknown("resource", uri)) =>
  new ProtocolError({ code: resourceNotFound, message, data: { uri } })

/** The error that a client receives for a cause: a protocol error unchanged, anything else in the envelope of the API. */
export const toldOf = (cause: Cause.Cause<unknown>): Effect.Effect<unknown> => {
  const failure = Cause.squash(cause)
  return failure instanceof ProtocolError || Cause.isInterruptedOnly(cause)
    ? Effect.succeed(failure)
    : Effect.map(failureOf(cause), (error) =>
      new ProtocolError({
        code: ErrorCode.InternalError,
        message: error.hint === undefined ? error.message : `${error.message}. ${error.hint}`,
        data: envelopeOf(error)
      }))
}
