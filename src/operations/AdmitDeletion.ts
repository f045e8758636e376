/** Admits a deletion that takes others with it. A signed-in person has confirmed what the dashboard shows; a key gives the number. */
import { Effect } from "effect"
import type { Caller } from "../../schema/access/Caller.ts"
import type { ValidationFailed } from "../../schema/Errors.ts"
import { countRefusal } from "../domain/CountedDeletion.ts"
import { validationFailure } from "../domain/Refusal.ts"

/** Fails if so many are more than the caller knows of. `what` names them with their number. */
export type AdmitDeletion = (found: number, what: string) => Effect.Effect<void, ValidationFailed>

export const admitDeletion =
  ({ principal }: Pick<Caller, "principal">, count: number | undefined): AdmitDeletion => (found, what) => {
    const refusal = principal._tag === "User" && count === undefined ? null : countRefusal(found, count, what)
    return refusal === null ? Effect.void : validationFailure([refusal])
  }

/** For deletions that were planned and admitted together. */
export const admitted: AdmitDeletion = () => Effect.void
