/** The rows of a statement, or its failure. */
import { SqlError } from "@effect/sql"
import { Effect, Either } from "effect"
import type { QueryResult } from "pg"

export type Rows = ReadonlyArray<unknown>

/** Several statements without parameters in one text have a result each. */
type Result = QueryResult | ReadonlyArray<QueryResult>

/** The rows of a statement, or why it failed. */
export type Answer = Either.Either<Rows, Error>

export const failed = (message: string, cause: unknown) => Effect.fail(new SqlError.SqlError({ cause, message }))

/** Converts the driver's callback arguments. */
export const answerOf = (error: unknown, result: Result): Answer =>
  error instanceof Error ? Either.left(error) : Either.right("rows" in result ? result.rows : result.map(({ rows }) => rows))

/** The rows of each statement, or the first failure: after it a transaction refuses all that follows. */
export const rowsOfAll = (answers: ReadonlyArray<Answer>): Effect.Effect<ReadonlyArray<Rows>, SqlError.SqlError> =>
  Either.match(Either.all(answers), { onLeft: (error) => failed("Failed to execute statement", error), onRight: Effect.succeed })
