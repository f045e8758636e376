/** Through which surface a request came in, for whoever records what it did: carried by the fiber, so no caller can write it. */
import { Context, Effect } from "effect"
import type { AuditVia } from "../../../schema/access/Audit.ts"

/**
 * The surface of the running request, `api` unless something nearer to the door said otherwise. A request never carries
 * it in a header: MCP calls the HTTP application in the same process and sets it on the fiber that answers the call.
 */
export class Via extends Context.Reference<Via>()("belltower/Via", {
  defaultValue: (): AuditVia => "api"
}) {}

/** Says that whatever `effect` does was asked for through `name`. */
export const via = (name: AuditVia) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Via, name)
