/** The starts of the windows that a series of maintenance would have. */
import { DateTime, Effect, Either } from "effect"
import { parseRule, startsAfter } from "../../domain/incident/Recurrence.ts"
import { validationFailure } from "../../domain/Refusal.ts"

interface Series {
  readonly rule: string
  /** The start of the first window. */
  readonly start: DateTime.Utc
  readonly timezone: string
  readonly limit: number
}

/** Fails with `validation_failed` if the rule cannot be read. */
export const previewRecurrence = Effect.fn("previewRecurrence")(function*({ limit, rule, start, timezone }: Series) {
  const parsed = parseRule(rule)
  if (Either.isLeft(parsed)) return yield* validationFailure([{ path: "rule", message: parsed.left }])
  const times = [{ at: start }]
  for (const at of startsAfter(parsed.right, DateTime.zoneUnsafeMakeNamed(timezone), start, start)) {
    if (times.length >= limit) break
    times.push({ at })
  }
  return times
})
