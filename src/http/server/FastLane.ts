/** A way past the router, for the one kind of request that comes in thousands a second. */
import { Context } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"

/** Takes a request and answers it, or leaves it to the router by saying false. By default it takes none. */
export class FastLane extends Context.Reference<FastLane>()("belltower/FastLane", {
  defaultValue: () => (_request: IncomingMessage, _response: ServerResponse): boolean => false
}) {}
