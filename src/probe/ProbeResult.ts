/** A look at a target: what every check kind gives back, and what it may use. */
import { Context } from "effect"
import type { Effect, Either } from "effect"
import type { Assignment } from "../../schema/check/Bus.ts"
import type { Cause, Evidence, Outcome, Timings } from "../../schema/check/Check.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"
import type { Judging } from "./judging/Judging.ts"

export interface ProbeResult {
  readonly outcome: Outcome
  readonly statusCode: number | null
  /** For the whole look, redirects included; null where no answer came. */
  readonly latencyMs: number | null
  readonly error: string | null
  readonly cause: Cause | null
  readonly timings: Timings | null
  /** Put together only when it is wanted. */
  readonly evidence: Effect.Effect<Evidence | null>
}

/** The key that opens an assignment's sealed request secrets. */
export class SealingKey extends Context.Tag("belltower/SealingKey")<SealingKey, Uint8Array>() {}

export interface Tools {
  readonly guard: EgressGuard
  readonly judging: Judging
  readonly key: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** On the left what broke in the probe itself. */
export type ProbeExit = Either.Either<ProbeResult, unknown>

/**
 * Looks once and calls back once; what goes wrong with the target is the look's outcome. Returns a function that gives up. By
 * callback: looks are by far the most frequent of all that a process does, and most need no fiber.
 */
export type Probe = (assignment: Assignment, tools: Tools, done: (seen: ProbeExit) => void) => () => void
