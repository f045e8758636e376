/** Every check kind and the probe that looks for it. */
import { Effect } from "effect"
import type { Assignment } from "../../schema/Bus.ts"
import type { ProbeTarget } from "../../schema/Monitor.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"
import { lookHttp } from "./kinds/http.ts"
import type { Look, Probe, SealingKey } from "./Look.ts"

const probes = {
  http: lookHttp
} satisfies Record<ProbeTarget["kind"], Probe>

const broken: Look = {
  outcome: "down",
  cause: "internal_error",
  error: "The probe failed for a reason of its own; its log tells more",
  statusCode: null,
  latencyMs: null,
  timings: null,
  evidence: Effect.succeed(null)
}

/** Looks with the probe of the target's kind. A probe's own mistake is told as `internal_error`. */
export const look = (assignment: Assignment): Effect.Effect<Look, never, EgressGuard | SealingKey> =>
  Effect.suspend(() => probes[assignment.target.kind](assignment)).pipe(
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logError(`The probe failed while checking ${assignment.monitorId}`, defect), broken))
  )
