/** Runs SQL statements without the span and the scope that the library opens for each, which cost more than sending the statement. */
import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import type { PgClient } from "@effect/sql-pg"
import { Context, Effect, Option, Predicate } from "effect"
import type { Pool, PoolClient } from "pg"
import { answered, failed, sendSteps } from "./connections/Pipeline.ts"
import { poolOf } from "./connections/ReadPool.ts"
import { makeStatementTexts } from "./StatementTexts.ts"
import type { Rows, Step } from "./Step.ts"

/** Asks the server to stop what a client's connection runs. Best effort: the statement may have ended. */
const cancelStatement = (pool: Pool, client: PoolClient): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (pool.ending || !Predicate.hasProperty(client, "processID")) return resume(Effect.void)
    pool.query("select pg_cancel_backend($1)", [client.processID], () => resume(Effect.void))
  }).pipe(Effect.interruptible, Effect.timeoutOption("5 seconds"), Effect.asVoid)

/** Runs steps on a connection that the caller holds, in one round trip; the rows of each. What is interrupted is cancelled. */
export const stepsWith = (
  pool: Pool,
  client: PoolClient,
  steps: ReadonlyArray<Step>
): Effect.Effect<ReadonlyArray<Rows>, SqlError.SqlError> =>
  Effect.async((resume) => {
    sendSteps(client, steps, (answer) => resume(answered(answer)))
    return cancelStatement(pool, client)
  })

/** The same on any connection of the pool. */
const stepsOnPool = (pool: Pool, steps: ReadonlyArray<Step>): Effect.Effect<ReadonlyArray<Rows>, SqlError.SqlError> =>
  Effect.async((resume) => {
    let taken: PoolClient | null = null
    let over = false
    const release = (cause?: Error) => {
      if (taken !== null && !over) {
        taken.off("error", broken)
        taken.release(cause)
      }
      over = true
    }
    const broken = (cause: Error) => {
      release(cause)
      resume(failed("Connection error", cause))
    }
    pool.connect((cause, client) => {
      if (client === undefined) return resume(failed("Failed to acquire connection", cause))
      // A release gives the connection to the next one, so those of thousands that gave up while they waited must not nest.
      if (over) return queueMicrotask(() => client.release())
      taken = client
      client.once("error", broken)
      sendSteps(client, steps, (answer) => {
        release()
        resume(answered(answer))
      })
    })
    return Effect.suspend(() => {
      const client = taken
      return (client === null || over ? Effect.void : cancelStatement(pool, client)).pipe(
        Effect.ensuring(Effect.sync(() => release()))
      )
    })
  })

/** Runs on the connection of the surrounding transaction, else on any of the pool. */
const run = (pool: Pool, step: Step) =>
  Effect.withFiberRuntime<Rows, SqlError.SqlError>(({ currentContext }) => {
    const transaction = Context.getOption(currentContext, SqlClient.TransactionConnection)
    return Option.isSome(transaction)
      ? transaction.value[0].execute(step.text, step.values, undefined)
      : Effect.map(stepsOnPool(poolOf(currentContext, pool), [step]), ([rows = []]) => rows)
  })

type AnyStatement = Statement.Statement<unknown>

/** Names the template that made a statement. */
const madeBy = Symbol("madeBy")

const stepFrom = makeStatementTexts()

export const stepOf = (statement: AnyStatement): Step => {
  const template: unknown = Reflect.get(statement, madeBy)
  if (Array.isArray(template)) return stepFrom(template, statement)
  const [text, values] = statement.compile()
  return { text, values }
}

/** Sends statements with the one that has this method. */
const together = Symbol("together")

/** A connection that sends several statements in one round trip. */
export interface Together {
  readonly executeAll: (steps: ReadonlyArray<Step>) => Effect.Effect<ReadonlyArray<Rows>, SqlError.SqlError>
}

const isTogether = (connection: unknown): connection is Together => Predicate.hasProperty(connection, "executeAll")

/** Runs statements that do not depend on each other in one round trip, one after another. The rows of each. */
export const sendTogether = (statements: ReadonlyArray<AnyStatement>): Effect.Effect<ReadonlyArray<Rows>, SqlError.SqlError> =>
  Effect.withFiberRuntime(({ currentContext }) => {
    const [one] = statements
    if (one === undefined) return Effect.succeed([])
    const [connection] = Option.getOrElse(Context.getOption(currentContext, SqlClient.TransactionConnection), () => [null])
    if (isTogether(connection)) return connection.executeAll(statements.map(stepOf))
    const send = Reflect.get(one, together)
    return Predicate.isFunction(send) && connection === null
      ? Reflect.apply(send, one, [statements])
      : Effect.forEach(statements, (statement) => statement)
  })

/** The client of a pool, whose templates make statements that run directly. */
export const withLeanStatements = (client: PgClient.PgClient, pool: Pool): PgClient.PgClient => {
  const sendAll = (statements: ReadonlyArray<AnyStatement>) =>
    Effect.withFiberRuntime<ReadonlyArray<Rows>, SqlError.SqlError>(({ currentContext }) =>
      stepsOnPool(poolOf(currentContext, pool), statements.map(stepOf))
    )
  const lean = <A>(template: TemplateStringsArray, statement: Statement.Statement<A>) =>
    Object.assign(statement, {
      [madeBy]: template,
      [together]: sendAll,
      commit: () => run(pool, stepOf(statement))
    })
  return new Proxy(client, {
    apply: (make, _, [first, ...rest]) => typeof first === "string" ? make(first) : lean(first, make(first, ...rest))
  })
}
