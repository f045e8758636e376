/** A failure that the protocol itself answers; the SDK sends its code, message and data as they are. */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import { Cause, Data, Effect } from "effect"
import { envelopeOf, failureOf } from "../http/server/Envelope.ts"

export class ProtocolError extends Data.TaggedError("ProtocolError")<{
  readonly code: number
  readonly message: string
  readonly data?: unknown
}> {}

/** What was asked for is not there, or lacks something. */
export const invalidParams = (message: string) => new ProtocolError({ code: ErrorCode.InvalidParams, message })

/** The protocol's code for it, which the SDK has no name for. */
const resourceNotFound = -32002

export const noResource = (uri: string, message = `There is no resource ${uri}`) =>
  new ProtocolError({ code: resourceNotFound, message, data: { uri } })

/** What a client is told of a cause: a failure of the protocol as it is, anything else as the interface tells of it. */
export const toldOf = (cause: Cause.Cause<unknown>): Effect.Effect<unknown> => {
  const failure = Cause.squash(cause)
  return failure instanceof ProtocolError || Cause.isInterruptedOnly(cause)
    ? Effect.succeed(failure)
    : Effect.map(failureOf(cause), (told) =>
      new ProtocolError({
        code: ErrorCode.InternalError,
        message: told.hint === undefined ? told.message : `${told.message}. ${told.hint}`,
        data: envelopeOf(told)
      }))
}
