/** The id of a request in responses and logs, to match a reported error with its log entry. */
import { Context } from "effect"

/** The id outside of requests. */
export const noRequest = "none"

export class RequestId extends Context.Reference<RequestId>()("belltower/RequestId", { defaultValue: () => noRequest }) {}
