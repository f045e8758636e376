/** The interface that the probe of every check kind implements, and the services it can use. */
import { Effect, Either } from "effect"
import type { Assignment } from "../../schema/check/Bus.ts"
import type { ProbeKind, TargetOf } from "../../schema/monitor/kinds.ts"
import { EgressGuard } from "../egress/EgressGuard.ts"
import { Browsers } from "./browser/Browsers.ts"
import { Judging } from "./judging/Judging.ts"
import { Overloaded } from "./Overloaded.ts"
import { Pings } from "./Pings.ts"
import type { ProbeResult } from "./ProbeResult.ts"
import { Rdap } from "./Rdap.ts"
import { Scripts } from "./script/Scripts.ts"

export const tools = Effect.gen(function*() {
  const clock = yield* Effect.clock
  return {
    guard: yield* EgressGuard,
    judging: yield* Judging,
    scripts: yield* Scripts,
    browsers: yield* Browsers,
    pings: yield* Pings,
    rdap: yield* Rdap,
    /** Milliseconds since 1970. */
    now: () => clock.unsafeCurrentTimeMillis()
  }
})
export type Tools = Effect.Effect.Success<typeof tools>
export type ProbeNeeds = Effect.Effect.Context<typeof tools>

/** Left: a defect of the probe itself. */
export type ProbeExit = Either.Either<ProbeResult, unknown>

export const exitOf = <End>(ended: End | Overloaded, toProbeResult: (end: End) => ProbeResult): ProbeExit =>
  ended instanceof Overloaded ? Either.left(ended) : Either.try(() => toProbeResult(ended))

export interface AssignmentOf<Kind extends ProbeKind> extends Omit<Assignment, "target"> {
  readonly target: TargetOf<Kind>
}

/** Checks the target once and calls `done` once. Returns a function that cancels. Not an Effect: most checks need no fiber. */
export type Probe<Kind extends ProbeKind> = (
  assignment: AssignmentOf<Kind>,
  tools: Tools,
  done: (seen: ProbeExit) => void
) => () => void
