/** Why an input is rejected, and the error for the response. */
import { ValidationFailed } from "../../schema/Errors.ts"

/** `path` is dotted; null refers to the whole input. */
export interface Refusal {
  readonly path: string | null
  readonly message: string
  readonly hint?: string
}

/** The most fields that a message names; `details` lists all. */
const mostNamed = 5

/** What a message says of several invalid fields, without what is wrong with each: `details` says that. */
export const invalidFields = (paths: ReadonlyArray<string>): string => {
  const named = paths.filter((path) => path !== "")
  if (named.length === 0) return "The input is invalid"
  if (named.length === 1) return `The field ${named.join()} is invalid`
  const more = named.length > mostNamed ? `, and ${named.length - mostNamed} more` : ""
  return `${named.length} fields are invalid: ${named.slice(0, mostNamed).join(", ")}${more}`
}

/**
 * The message explains a single refusal, and `details` only locates it; of several, the message names the fields and `details` explains.
 * The hint is the first one.
 */
export const validationFailure = (refusals: ReadonlyArray<Refusal>): ValidationFailed => {
  const [first, ...others] = refusals
  const hint = refusals.find((refusal) => refusal.hint !== undefined)?.hint
  const alone = first !== undefined && others.length === 0
  const paths = refusals.map(({ path }) => path ?? "")
  const located = alone && first.path === null ? {} : { details: alone ? [{ path: first.path }] : detailsOf(refusals) }
  return new ValidationFailed({
    message: alone ? first.message : invalidFields(paths),
    ...(hint === undefined ? {} : { hint }),
    ...located
  })
}

const detailsOf = (refusals: ReadonlyArray<Refusal>) => refusals.map(({ message, path }) => ({ path: path ?? "", message }))
