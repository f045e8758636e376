/** Completes when the caller of an operation leaves before the answer. Only operations annotated with `EndsWithCaller` learn of it. */
import { Context, Effect } from "effect"

export class CallerLeft extends Context.Reference<CallerLeft>()("belltower/CallerLeft", {
  defaultValue: (): Effect.Effect<void> => Effect.never
}) {}
