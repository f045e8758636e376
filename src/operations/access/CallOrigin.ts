/** Where a call comes from, for the audit log. The fiber carries it, so no client can forge it. */
import { Context, Effect } from "effect"
import type { AuditVia } from "../../../schema/access/Audit.ts"

export interface Origin {
  readonly surface: AuditVia
  /** The client's address; null inside the process. */
  readonly ip: string | null
}

/** The HTTP server sets the address once per request; a surface other than the API adds its name. */
export class CallOrigin extends Context.Reference<CallOrigin>()("belltower/CallOrigin", {
  defaultValue: (): Origin => ({ surface: "api", ip: null })
}) {}

/** Records what `effect` does as done through this surface. */
export const onSurface = (surface: AuditVia) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CallOrigin, ({ ip }) => Effect.provideService(effect, CallOrigin, { surface, ip }))
