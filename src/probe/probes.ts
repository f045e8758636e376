/** The probe of every check kind. */
import { Effect, Either } from "effect"
import type { Assignment } from "../../schema/check/Bus.ts"
import type { ProbeKind } from "../../schema/monitor/kinds.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { Judging } from "./judging/Judging.ts"
import { lookHttp } from "./kinds/http.ts"
import { SealingKey, unanswered } from "./ProbeResult.ts"
import type { AssignmentOf, Probe, ProbeExit, ProbeResult, Tools } from "./ProbeResult.ts"

/** A kind whose schema says that it is probed must have its probe here. */
const probes: { readonly [Kind in ProbeKind]: Probe<Kind> } = {
  http: lookHttp
}

const probe = <Kind extends ProbeKind>(
  kind: Kind,
  assignment: AssignmentOf<Kind>,
  tools: Tools,
  done: (seen: ProbeExit) => void
): () => void => probes[kind](assignment, tools, done)

const broken = unanswered("internal_error", "The probe itself failed; see its log")

const nothingToStop = (): void => {}

/** Starts a check with the probe of the target's kind; calls back once, and returns a function that gives up. */
export const startProbe = (assignment: Assignment, tools: Tools, done: (seen: ProbeExit) => void): () => void =>
  Either.match(Either.try(() => probe(assignment.target.kind, assignment, tools, done)), {
    onLeft: (defect) => {
      done(Either.left(defect))
      return nothingToStop
    },
    onRight: (giveUp) => giveUp
  })

/** The result to report where the probe itself failed: `internal_error`; the log has the defect. */
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

/** Checks once. A defect of the probe is reported as `internal_error`. */
export const probeOnce = (assignment: Assignment): Effect.Effect<ProbeResult, never, ProbeNeeds> =>
  Effect.flatMap(
    tools,
    (own) =>
      Effect.async<ProbeResult, unknown>((resume) => Effect.sync(startProbe(assignment, own, (seen) => resume(seen)))).pipe(
        Effect.catchAll((defect) => brokenProbeResult(assignment, defect))
      )
  )
