/** The refusals of an input, and the error for the response. */
import { type InvalidField, ValidationFailed } from "../../schema/Errors.ts"

/** `path` is dotted; null refers to the whole input. */
export interface Refusal {
  readonly path: string | null
  readonly message: string
  readonly hint?: string
}

/** The most refusals of one input: a reader needs no more, and saying what is wrong with a field can cost more than checking it. */
export const mostRefusals = 50

const mostNamed = 5

/** The message about several invalid fields: their names only; `details` says what is wrong with each. */
export const invalidFields = (paths: ReadonlyArray<string>): string => {
  const named = [...new Set(paths.filter((path) => path !== ""))]
  if (named.length === 0) return "The input is invalid"
  if (named.length === 1) return `The field ${named.join()} is invalid`
  const more = named.length > mostNamed ? `, and ${named.length - mostNamed} more` : ""
  return `${named.length} fields are invalid: ${named.slice(0, mostNamed).join(", ")}${more}`
}

/** One refusal's message explains it; of several, it names the fields, and `details` explains each. The hint is the first. */
export const validationFailure = (refusals: ReadonlyArray<Refusal>): ValidationFailed => {
  const [first, ...others] = refusals
  const hint = refusals.find((refusal) => refusal.hint !== undefined)?.hint
  const alone = first !== undefined && others.length === 0
  return new ValidationFailed({
    message: alone ? first.message : invalidFields(refusals.map(({ path }) => path ?? "")),
    ...(hint === undefined ? {} : { hint }),
    ...(alone && first.path === null ? {} : { details: detailsOf(refusals) })
  })
}

const detailsOf = (refusals: ReadonlyArray<Refusal>): ReadonlyArray<InvalidField> =>
  refusals.slice(0, mostRefusals).map(({ message, path }) => ({ path: path ?? "", message }))
