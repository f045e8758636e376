/** Sends several statements to the server together: one round trip, and one turn of the event loop, in place of one for each. */
import { SqlError } from "@effect/sql"
import { Array as Arr, Effect, Either } from "effect"
import type { PoolClient, QueryResult } from "pg"
import { isAboutPlans, withoutPlans, withPlans } from "../KeptPlans.ts"
import { makeStatementSession, StatementBatch, type StatementSession } from "../StatementBatch.ts"
import { makeStatementNames, type StatementNames } from "../StatementNames.ts"
import type { Rows, Step } from "../Step.ts"

/** Several statements without parameters in one text have a result each. */
type Result = QueryResult | ReadonlyArray<QueryResult>

type Answer = Either.Either<ReadonlyArray<Rows>, Error>

export const failed = (message: string, cause: unknown) => Effect.fail(new SqlError.SqlError({ cause, message }))

const sessions = new WeakMap<PoolClient, StatementSession>()

/** Makes a client use the names that all connections of its pool share. */
export const nameStatements = (names: StatementNames, client: PoolClient): void =>
  void sessions.set(client, makeStatementSession(names))

const sessionOf = (client: PoolClient): StatementSession => {
  const known = sessions.get(client)
  if (known !== undefined) return known
  const session = makeStatementSession(makeStatementNames())
  sessions.set(client, session)
  return session
}

/** The statements without parameters that are one for certain. Any other text may hold several, which only the simple protocol takes. */
const command = /^(?:begin|commit|rollback|savepoint \w+|rollback to savepoint \w+)$/

const isAlone = (step: Step): boolean => step.values.length === 0 && !command.test(step.text) && !isAboutPlans(step)

const rowsOf = (result: Result): Rows => "rows" in result ? result.rows : result.map(({ rows }) => rows)

const sendAlone = (client: PoolClient, { text }: Step, done: (answer: Answer) => void): void =>
  client.query(
    text,
    (error: unknown, result: Result) => done(error instanceof Error ? Either.left(error) : Either.right([rowsOf(result)]))
  )

/** Steps that go together, those of each kind. */
const runsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<ReadonlyArray<Step>> =>
  Arr.isNonEmptyReadonlyArray(steps) && steps.some(isAlone)
    ? Arr.groupWith(steps, (one, other) => !isAlone(one) && !isAlone(other))
    : [steps]

/**
 * Passes on the rows of each statement, or the first failure: after it a transaction refuses all that follows. The pool's connections are
 * in the driver's pipeline mode: a statement does not wait for the answer to the one before it.
 */
export const sendSteps = (client: PoolClient, steps: ReadonlyArray<Step>, done: (answer: Answer) => void): void => {
  const sent = withPlans(steps, sessionOf(client).plans)
  const runs = runsOf(sent)
  const answers = runs.map((): Answer => Either.right([]))
  let open = runs.length
  runs.forEach((run, index) => {
    const note = (answer: Answer) => {
      answers[index] = answer
      if (--open === 0) done(Either.map(Either.all(answers), (rows) => withoutPlans(sent, rows.flat())))
    }
    const [only] = run
    if (only !== undefined && isAlone(only)) sendAlone(client, only, note)
    else client.query(new StatementBatch(client, sessionOf(client), run, note))
  })
}

/** The rows of each statement as an effect. */
export const answered = (answer: Answer): Effect.Effect<ReadonlyArray<Rows>, SqlError.SqlError> =>
  Either.match(answer, { onLeft: (error) => failed("Failed to execute statement", error), onRight: Effect.succeed })
