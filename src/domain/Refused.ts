/** Refusals of settings as the error that the interface answers with. */
import { ValidationFailed } from "../../schema/Errors.ts"
import type { Refusal } from "./Refusal.ts"

/** All of them in `details`; the message and the hint are the first one's. */
export const refused = (refusals: ReadonlyArray<Refusal>): ValidationFailed => {
  const [first] = refusals
  return new ValidationFailed({
    message: first === undefined ? "Input failed validation" : first.message,
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
    details: refusals.map(({ message, path }) => ({ path: path ?? "", message }))
  })
}
