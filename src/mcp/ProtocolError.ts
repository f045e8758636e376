/** A failure that the protocol itself answers; the SDK sends its code, message and data as they are. */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js"
import { Data } from "effect"

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
