/** The refusal of a view whose record is not in the list that it reads. */
import { Refused } from "./Refused.ts"

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
