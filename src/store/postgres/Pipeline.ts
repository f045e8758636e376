/** Sends several statements to the server together: one round trip, and one turn of the event loop, in place of one for each. */
import { SqlError } from "@effect/sql"
import { Effect, Either } from "effect"
import type { PoolClient, QueryResult } from "pg"

export type Rows = ReadonlyArray<unknown>

/** Several statements without parameters in one text have a result each. */
type Result = QueryResult | ReadonlyArray<QueryResult>

type Answer = Either.Either<Rows, Error>

export const failed = (message: string, cause: unknown) => Effect.fail(new SqlError.SqlError({ cause, message }))

const answerOf = (error: unknown, result: Result): Answer =>
  error instanceof Error ? Either.left(error) : Either.right("rows" in result ? result.rows : result.map(({ rows }) => rows))

/** The rows of each statement, or the first failure: after it a transaction refuses all that follows. */
export const rowsOfAll = (answers: ReadonlyArray<Answer>): Effect.Effect<ReadonlyArray<Rows>, SqlError.SqlError> =>
  Either.match(Either.all(answers), { onLeft: (error) => failed("Failed to execute statement", error), onRight: Effect.succeed })

export interface Step {
  readonly text: string
  readonly values: Rows
}

/** The pool's connections are in the driver's pipeline mode: a statement does not wait for the answer to the one before it. */
export const sendSteps = (
  client: PoolClient,
  steps: ReadonlyArray<Step>,
  done: (answers: ReadonlyArray<Answer>) => void
): void => {
  const answers = steps.map((): Answer => Either.right([]))
  let open = steps.length
  const { stream } = client.connection
  stream.cork()
  steps.forEach(({ text, values }, index) =>
    client.query(text, [...values], (error: unknown, result: QueryResult | ReadonlyArray<QueryResult>) => {
      answers[index] = answerOf(error, result)
      if (--open === 0) done(answers)
    })
  )
  stream.uncork()
}
