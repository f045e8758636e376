/** The name of a request in answers and logs, so that a report of a fault can be matched to its cause. */
import { Context } from "effect"

export class RequestId extends Context.Reference<RequestId>()("belltower/RequestId", { defaultValue: () => "none" }) {}
