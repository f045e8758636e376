/** Every check kind and the probe that looks for it. */
import { Effect, Either } from "effect"
import type { Assignment } from "../../schema/check/Bus.ts"
import type { ProbeTarget } from "../../schema/monitor/Monitor.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { Judging } from "./judging/Judging.ts"
import { lookHttp } from "./kinds/http.ts"
import { SealingKey } from "./ProbeResult.ts"
import type { Probe, ProbeExit, ProbeResult, Tools } from "./ProbeResult.ts"

const probes = {
  http: lookHttp
} satisfies Record<ProbeTarget["kind"], Probe>

const broken: ProbeResult = {
  outcome: "down",
  cause: "internal_error",
  error: "The probe failed for a reason of its own; its log tells more",
  statusCode: null,
  latencyMs: null,
  timings: null,
  evidence: Effect.succeed(null)
}

const nothingToStop = (): void => {}

/** Begins a look with the probe of the target's kind; calls back once, and returns a function that gives up. */
export const startProbe = (assignment: Assignment, tools: Tools, done: (seen: ProbeExit) => void): () => void =>
  Either.match(Either.try(() => probes[assignment.target.kind](assignment, tools, done)), {
    onLeft: (defect) => {
      done(Either.left(defect))
      return nothingToStop
    },
    onRight: (giveUp) => giveUp
  })

/** The look to report where the probe itself broke: `internal_error`, and the log tells more. */
export const brokenProbeResult = (assignment: Assignment, defect: unknown): Effect.Effect<ProbeResult> =>
  Effect.as(Effect.logError(`The probe failed while checking ${assignment.monitorId}`, defect), broken)

/** The services that a look takes. */
export type ProbeNeeds = EgressGuard | Judging | SealingKey

export const tools: Effect.Effect<Tools, never, ProbeNeeds> = Effect.gen(function*() {
  const clock = yield* Effect.clock
  return {
    guard: yield* EgressGuard,
    judging: yield* Judging,
    key: yield* SealingKey,
    now: () => clock.unsafeCurrentTimeMillis()
  }
})

/** Looks once. A probe's own mistake is told as `internal_error`. */
export const probeOnce = (assignment: Assignment): Effect.Effect<ProbeResult, never, ProbeNeeds> =>
  Effect.flatMap(
    tools,
    (own) =>
      Effect.async<ProbeResult, unknown>((resume) => Effect.sync(startProbe(assignment, own, (seen) => resume(seen)))).pipe(
        Effect.catchAll((defect) => brokenProbeResult(assignment, defect))
      )
  )
