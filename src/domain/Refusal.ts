/** Why an input is rejected, and the error for the response. */
import { ValidationFailed } from "../../schema/Errors.ts"

/** `path` is dotted; null refers to the whole input. */
export interface Refusal {
  readonly path: string | null
  readonly message: string
  readonly hint?: string
}

/** Lists all refusals in `details`; takes the message and the hint from the first. */
export const validationFailure = (refusals: ReadonlyArray<Refusal>): ValidationFailed => {
  const [first] = refusals
  return new ValidationFailed({
    message: first === undefined ? "Input failed validation" : first.message,
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
    details: refusals.map(({ message, path }) => ({ path: path ?? "", message }))
  })
}
