/** The interface that the probe of every check kind implements, and the services it can use. */
import { Context, Effect, type Either } from "effect"
import type { Assignment, CheckResult } from "../../schema/check/Bus.ts"
import type { Cause, Evidence } from "../../schema/check/Check.ts"
import type { ProbeKind, TargetOf } from "../../schema/monitor/kinds.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"
import type { Browsers } from "./browser/Browsers.ts"
import type { Judging } from "./judging/Judging.ts"
import type { Pings } from "./ping/Pings.ts"
import type { Rdap } from "./rdap/Rdap.ts"
import type { Scripts } from "./script/Scripts.ts"

export interface ProbeResult extends Pick<CheckResult, "outcome" | "statusCode" | "latencyMs" | "error" | "cause" | "timings"> {
  /** Assembled only on demand. */
  readonly evidence: Effect.Effect<Evidence | null>
  /** The address that answered; null or missing if none did, or for kinds that do not say. */
  readonly reached?: string | null
  /** The component statuses that a manifest monitor read. */
  readonly manifest?: CheckResult["manifest"]
}

/** The result of a check that got no response from its target. */
export const unanswered = (cause: Cause, error: string): ProbeResult => ({
  outcome: "down",
  cause,
  error,
  statusCode: null,
  latencyMs: null,
  timings: null,
  evidence: Effect.succeed(null)
})

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
