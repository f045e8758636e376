/** The offer of an endpoint to one client: its description of itself, and the handlers of its methods. */
import type { HttpRouter } from "@effect/platform"
import type { AnyObjectSchema, SchemaOutput } from "@modelcontextprotocol/sdk/server/zod-compat.js"
import type { Implementation, Result, ServerCapabilities } from "@modelcontextprotocol/sdk/types.js"
import type { Effect } from "effect"
import type { ClientCall } from "./ClientCall.ts"
import type { JsonObject } from "./StatelessRequest.ts"

/** The services that handlers read from the context of the request. */
export type Services = HttpRouter.HttpRouter.DefaultServices

/** Registers the handler of a method. Its failures reach the client as errors of the protocol. */
export type Register = <T extends AnyObjectSchema>(
  schema: T,
  handler: (request: SchemaOutput<T>, call: ClientCall) => Effect.Effect<Result, unknown, Services>
) => void

export interface Offer {
  readonly server: Implementation
  readonly capabilities: ServerCapabilities
  readonly instructions: string
  /** Whether its lists are the same for everyone, so that shared caches may keep them. */
  readonly isPublic: boolean
  /** Whether a tool may ask the client of a session, which declared this, before its result. */
  readonly converses: (tool: string, declared: JsonObject) => boolean
  readonly handle: (on: Register) => void
}
