/** The origin of a call, for the audit log. The fiber carries it, so clients cannot forge it. */
import { Context, Effect } from "effect"
import type { AuditVia } from "../../../schema/access/Audit.ts"
import type { Principal } from "../../../schema/access/Caller.ts"

export interface Origin {
  readonly surface: AuditVia
  /** The client's address; null for calls inside the process. */
  readonly ip: string | null
}

/** The HTTP server sets the address once per request; surfaces other than the API add their name. */
export class CallOrigin extends Context.Reference<CallOrigin>()("belltower/CallOrigin", {
  defaultValue: (): Origin => ({ surface: "api", ip: null })
}) {}

/** Attributes everything that `effect` does to the dashboard. */
export const fromDashboard = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CallOrigin, ({ ip }) => Effect.provideService(effect, CallOrigin, { surface: "dashboard", ip }))

/** The surface that a caller acts through. A person's call to the API comes from the dashboard. */
export const surfaceOf = (principal: Principal): Effect.Effect<AuditVia> =>
  Effect.map(CallOrigin, ({ surface }) => principal._tag === "User" && surface === "api" ? "dashboard" : surface)
