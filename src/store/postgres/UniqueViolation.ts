/** Recognizes a statement that PostgreSQL refused because a unique index already has the value. */
import type { SqlError } from "@effect/sql"
import { Predicate } from "effect"

/** SQLSTATE 23505, unique_violation (PostgreSQL, appendix A). */
export const isUniqueViolation = ({ cause }: SqlError.SqlError): boolean =>
  Predicate.hasProperty(cause, "code") && cause.code === "23505"
