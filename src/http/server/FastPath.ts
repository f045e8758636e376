/** Bypasses the router for requests that arrive thousands of times per second. */
import { Context } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"

/** Answers a request and returns true, or returns false to leave it to the router. The default answers none. */
export class FastPath extends Context.Reference<FastPath>()("belltower/FastPath", {
  defaultValue: () => (_request: IncomingMessage, _response: ServerResponse): boolean => false
}) {}
