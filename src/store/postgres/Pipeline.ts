/** Sends several statements to the server together: one round trip, and one turn of the event loop, in place of one for each. */
import { Either } from "effect"
import type { PoolClient, QueryResult } from "pg"
import { type Answer, answerOf, type Rows } from "./StatementAnswer.ts"

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
