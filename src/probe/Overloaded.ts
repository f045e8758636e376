/** A check that was not made because a limited resource is busy, mostly with its own workspace. It is skipped, not failed. */
import { Data } from "effect"

export class Overloaded extends Data.TaggedError("Overloaded")<{
  /** The busy resource; a label of metrics. */
  readonly resource: "judging" | "lookups" | "files" | "scripts" | "browsers" | "pings"
  readonly message: string
  /** The probe refuses such checks until its operator changes something, so its owner is shown the reason: a result that does not count. */
  readonly isLasting?: true
}> {}
