/** Recognizes failures of PostgreSQL by their SQLSTATE (PostgreSQL, appendix A). */
import { SqlError } from "@effect/sql"
import { Cause, Chunk, Predicate } from "effect"

const codeOf = (error: unknown): unknown =>
  Predicate.hasProperty(error, "cause") && Predicate.hasProperty(error.cause, "code") ? error.cause.code : undefined

/** The classes of data exceptions and of violated constraints. */
const ofContent = /^2[23]/

/** The code of a violated check. That of a partition has no name: a statement chose its partition while another one was attached. */
const checkViolation = "23514"

const isOfContent = (error: unknown): boolean => {
  const code = String(codeOf(error) ?? "")
  const isUnnamed = Predicate.hasProperty(error, "cause") && Predicate.hasProperty(error.cause, "constraint") &&
    error.cause.constraint === undefined
  return ofContent.test(code) && !(code === checkViolation && isUnnamed)
}

/** The SQLSTATE, or the system's code, of a failure as the driver reports it; empty if it has none. */
export const failureCode = (error: unknown): string =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : ""

/** Whether a unique index already has the value. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === "23505"

/** Whether the database ended the transaction because it and others waited for each other in a circle. */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === "40P01"

/** The code for a lock that was not available within `lock_timeout`. */
const lockNotAvailable = "55P03"

/** Whether a statement waited too long for a lock. */
export const isLockNotAvailable = (error: unknown): boolean =>
  (Predicate.hasProperty(error, "code") && error.code === lockNotAvailable) ||
  (Predicate.hasProperty(error, "cause") && isLockNotAvailable(error.cause))

/** Whether a cause has a failure or a defect for which a predicate holds. */
export const causeHas = (cause: Cause.Cause<unknown>, predicate: (error: unknown) => boolean): boolean =>
  Chunk.some(Cause.failures(cause), predicate) || Chunk.some(Cause.defects(cause), predicate)

/** Classes of a lost connection, a transaction that others disturbed, lack of resources, a lock or a time limit, and system errors. */
const passing = new Set(["08", "25", "40", "53", "55", "57", "58", "XX"])

const isRefusal = (error: unknown): boolean => {
  if (!(error instanceof SqlError.SqlError)) return false
  // A statement that got no answer has no code.
  const code = String(codeOf(error) ?? "")
  return code.length !== 5 || passing.has(code.slice(0, 2))
}

/** Whether the database, or the way to it, failed, and not the statement itself: the same statement may succeed later. */
export const refusedByDatabase = (cause: Cause.Cause<unknown>): boolean => causeHas(cause, isRefusal)

/** Whether values make a statement fail: the database refuses them, or they cannot be encoded. The same statement never succeeds. */
export const refusesContent = (cause: Cause.Cause<unknown>): boolean => Cause.isDie(cause) || causeHas(cause, isOfContent)
