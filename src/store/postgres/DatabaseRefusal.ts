/** Distinguishes a failure of the database, or of the way to it, from a failure of the statement itself. */
import { SqlError } from "@effect/sql"
import { Cause, Chunk, Predicate } from "effect"

/** Classes of SQLSTATE for a lost connection, a transaction that others disturbed, lack of resources, a lock or a time limit, and system errors. */
const passing = new Set(["08", "25", "40", "53", "55", "57", "58", "XX"])

const isRefusal = (error: unknown): boolean => {
  if (!(error instanceof SqlError.SqlError)) return false
  // A statement that got no answer has no code.
  const code = Predicate.hasProperty(error.cause, "code") ? String(error.cause.code) : ""
  return code.length !== 5 || passing.has(code.slice(0, 2))
}

/** Whether the same statement may succeed later. */
export const refusedByDatabase = (cause: Cause.Cause<unknown>): boolean =>
  Chunk.some(Cause.failures(cause), isRefusal) || Chunk.some(Cause.defects(cause), isRefusal)
