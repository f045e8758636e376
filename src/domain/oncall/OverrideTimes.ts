/** The time of an override that says no start or end: from now, up to the end of the shift that it takes the place of. */
import { DateTime, Either } from "effect"
import type { OverrideInput, TimedOverride } from "../../../schema/oncall/Schedule.ts"
import type { Refusal } from "../Refusal.ts"
import type { OverrideWindow } from "./Overrides.ts"
import type { RotationSettings } from "./Rotation.ts"
import { shiftsAt } from "./Shifts.ts"

const noShift: ReadonlyArray<Refusal> = [{
  path: "end",
  message: "end is required where there is no shift to take over at the start"
}]

/** `overridesFrom` are the overrides that end later than the start. Fails with why the end is not known. */
export const overrideTimes = (
  input: OverrideInput,
  settings: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  now: DateTime.Utc
): Either.Either<TimedOverride, ReadonlyArray<Refusal>> => {
  const { end, insteadOf, start = now } = input
  if (end !== undefined) return Either.right({ ...input, start, end })
  const shift = shiftsAt(settings, overrides, start).find(({ userId }) => insteadOf === undefined || userId === insteadOf)
  return shift === undefined ? Either.left(noShift) : Either.right({ ...input, start, end: shift.end })
}
