/** A check that was not made because its workspace keeps a limited resource busy. It is skipped, not failed. */
import { Data } from "effect"

export class Overloaded extends Data.TaggedError("Overloaded")<{
  /** What was busy; a label of metrics. */
  readonly resource: "judging" | "scripts" | "browsers" | "pings"
  readonly message: string
}> {}
