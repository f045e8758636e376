/** Admits a deletion that takes others with it. An agent gives their number; REST takes a plain DELETE, as the contract has it. */
import { Effect } from "effect"
import type { Caller } from "../../schema/access/Caller.ts"
import type { ValidationFailed } from "../../schema/Errors.ts"
import { countRefusal } from "../domain/CountedDeletion.ts"
import { validationFailure } from "../domain/Refusal.ts"
import { surfaceOf } from "./access/CallOrigin.ts"

/** Fails if so many are more than the caller knows of. `what` names them with their number. */
export type AdmitDeletion = (found: number, what: string) => Effect.Effect<void, ValidationFailed>

export const admitDeletion =
  ({ principal }: Pick<Caller, "principal">, count: number | undefined): AdmitDeletion => (found, what) =>
    Effect.flatMap(surfaceOf(principal), (surface) => {
      const refusal = count === undefined && surface !== "mcp" ? null : countRefusal(found, count, what)
      return refusal === null ? Effect.void : validationFailure([refusal])
    })

/** For deletions that were planned and admitted together. */
export const admitted: AdmitDeletion = () => Effect.void
