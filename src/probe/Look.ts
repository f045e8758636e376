/** A look at a target: what every check kind gives back, and what it may use. */
import { Context } from "effect"
import type { Effect } from "effect"
import type { Assignment } from "../../schema/Bus.ts"
import type { Cause, Evidence, Outcome, Timings } from "../../schema/Check.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"

export interface Look {
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

/** Looks once. What goes wrong with the target is the look's outcome, never a failure. */
export type Probe = (assignment: Assignment) => Effect.Effect<Look, never, EgressGuard | SealingKey>
