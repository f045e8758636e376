/** Why an input was refused, and the error that says so. */
import { ValidationFailed } from "../../schema/Errors.ts"

/** `path` is dotted; null where the whole is meant. */
export interface Refusal {
  readonly path: string | null
  readonly message: string
  readonly hint?: string
}

/** All of them in `details`; the message and the hint are the first one's. */
export const validationFailure = (refusals: ReadonlyArray<Refusal>): ValidationFailed => {
  const [first] = refusals
  return new ValidationFailed({
    message: first === undefined ? "Input failed validation" : first.message,
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
    details: refusals.map(({ message, path }) => ({ path: path ?? "", message }))
  })
}
