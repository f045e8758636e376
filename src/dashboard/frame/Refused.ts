/** How an operation refuses a call, as views and forms show it. */
import { Data } from "effect"

/** A problem with one field; the path is dotted, like the names of fields: `assertions.0.op`. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** An operation refused a call, with the envelope of REST. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly operation: string
  readonly status: number
  readonly code: string
  readonly message: string
  readonly hint: string | null
  /** Empty if `message` is complete. */
  readonly issues: ReadonlyArray<Issue>
  readonly retryAfterSec: number | null
}> {}

/** The refusal in other words. A copy by spreading would lose its message. */
export const reworded = (
  { code, hint, issues, message, operation, retryAfterSec, status }: Refused,
  words: Partial<Pick<Refused, "message" | "hint" | "issues">>
): Refused => new Refused({ operation, status, code, message, hint, issues, retryAfterSec, ...words })

export const notHere = (noun: string) =>
  new Refused({
    operation: "",
    status: 404,
    code: "not_found",
    message: `This ${noun} does not exist, or you have no access to it`,
    hint: null,
    issues: [],
    retryAfterSec: null
  })
