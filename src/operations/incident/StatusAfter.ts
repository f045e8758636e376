/** The status that an update leads to, with the errors for the response. */
import { Either } from "effect"
import { Conflict, type ValidationFailed } from "../../../schema/Errors.ts"
import type { ProgressStatus } from "../../../schema/incident/Incident.ts"
import { moved, type Standing } from "../../domain/incident/IncidentMachine.ts"
import { validationFailure } from "../../domain/Refusal.ts"

export const recordHint = "To add to its record, post an update without a status"

/** Fails with `validation_failed` for a status of the other kind, and with `conflict` for a step that is not possible now. */
export const statusAfter = (
  standing: Standing,
  wanted: ProgressStatus | null
): Either.Either<ProgressStatus, Conflict | ValidationFailed> =>
  Either.mapLeft(
    moved(standing, wanted),
    ({ _tag, message }) =>
      _tag === "OtherKind" ? validationFailure([{ path: "status", message }]) : new Conflict({ message, hint: recordHint })
  )
