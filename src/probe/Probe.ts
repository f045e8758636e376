/** The interface that the probe of every check kind implements, and the services it can use. */
import { Context, Either } from "effect"
import type { Assignment } from "../../schema/check/Bus.ts"
import type { ProbeKind, TargetOf } from "../../schema/monitor/kinds.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"
import type { Browsers } from "./browser/Browsers.ts"
import type { Judging } from "./judging/Judging.ts"
import { Overloaded } from "./Overloaded.ts"
import type { Pings } from "./Pings.ts"
import type { ProbeResult } from "./ProbeResult.ts"
import type { Rdap } from "./Rdap.ts"
import type { Scripts } from "./script/Scripts.ts"

/** The key that opens an assignment's sealed request secrets. */
export class SealingKey extends Context.Tag("belltower/SealingKey")<SealingKey, Uint8Array>() {}

export interface Tools {
  readonly guard: EgressGuard
  readonly judging: Judging
  readonly scripts: Scripts
  readonly browsers: Browsers
  readonly pings: Pings
  readonly rdap: Rdap
  readonly key: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Left: a defect of the probe itself. */
export type ProbeExit = Either.Either<ProbeResult, unknown>

/** The exit of a check by a run that may not have been made. */
export const exitOf = <End>(ended: End | Overloaded, toProbeResult: (end: End) => ProbeResult): ProbeExit =>
  ended instanceof Overloaded ? Either.left(ended) : Either.try(() => toProbeResult(ended))

/** An assignment of one check kind. */
export interface AssignmentOf<Kind extends ProbeKind> extends Omit<Assignment, "target"> {
  readonly target: TargetOf<Kind>
}

/**
 * Checks the target once and calls `done` once; problems of the target are reported as the outcome. Returns a function that
 * cancels. Uses callbacks instead of an Effect: checks are by far the most frequent work of a process, and most need no fiber.
 */
export type Probe<Kind extends ProbeKind> = (
  assignment: AssignmentOf<Kind>,
  tools: Tools,
  done: (seen: ProbeExit) => void
) => () => void
