/**
 * Transactions without the span and the scope that the library opens for each, and with fewer round trips: BEGIN and SAVEPOINT are
 * sent with the first statement, and statements whose answer nobody reads with the next one or with COMMIT.
 */
import { SqlClient, type SqlConnection, type SqlError, type Statement } from "@effect/sql"
import { Context, Effect, Exit, FiberRef, Option, Stream } from "effect"
import type { Pool, PoolClient } from "pg"
import { failed } from "./connections/Pipeline.ts"
import { poolOf } from "./connections/ReadPool.ts"
import { stepOf, stepsWith, type Together } from "./LeanStatements.ts"
import type { Rows, Step } from "./Step.ts"

const command = (text: string): Step => ({ text, values: [] })

/**
 * The connection of a transaction. It is taken from the pool with the first statement: what the work does before, such as waiting for
 * the body of a request, keeps none from others.
 */
class TransactionConnection implements SqlConnection.Connection, Together {
  readonly #pool: Pool
  #client: PoolClient | null = null
  /** Effects that wait for the client. */
  #wanting: Array<(client: Effect.Effect<PoolClient, SqlError.SqlError>) => void> = []
  #broken: Error | undefined
  #isOver = false
  /** Statements that are sent with the next one. */
  #waiting: Array<Step> = [command("begin")]
  #isOpen = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  readonly #note = (error: Error) => {
    this.#broken = error
  }

  readonly #takeClient = Effect.async<PoolClient, SqlError.SqlError>((resume) => {
    this.#wanting.push(resume)
    if (this.#wanting.length > 1) return
    this.#pool.connect((cause, client) => {
      const wanting = this.#wanting.splice(0)
      if (client === undefined) {
        const failure = failed("Failed to acquire connection for transaction", cause)
        return wanting.forEach((resume) => resume(failure))
      }
      // The callers were interrupted, and the transaction has ended. Its release must not nest in that of another one.
      if (this.#isOver) return queueMicrotask(() => client.release())
      client.on("error", this.#note)
      this.#client = client
      const taken = Effect.succeed(client)
      wanting.forEach((resume) => resume(taken))
    })
  })

  /** Gives the connection back; one that broke meanwhile does not go back. */
  readonly release = Effect.sync(() => {
    this.#isOver = true
    this.#client?.off("error", this.#note)
    this.#client?.release(this.#broken)
  })

  later(step: Step): void {
    this.#waiting.push(step)
  }

  #send(client: PoolClient, steps: ReadonlyArray<Step>): Effect.Effect<ReadonlyArray<Rows>, SqlError.SqlError> {
    this.#isOpen = true
    const waiting = this.#waiting.splice(0)
    return Effect.map(stepsWith(this.#pool, client, [...waiting, ...steps]), (all) => all.slice(waiting.length))
  }

  /** Sends the waiting statements, and these after them; returns the rows of each of these. */
  executeAll(steps: ReadonlyArray<Step>): Effect.Effect<ReadonlyArray<Rows>, SqlError.SqlError> {
    return Effect.suspend(() =>
      this.#client === null
        ? Effect.flatMap(this.#takeClient, (client) => this.#send(client, steps))
        : this.#send(this.#client, steps)
    )
  }

  execute(text: string, values: Rows): Effect.Effect<Rows, SqlError.SqlError> {
    return Effect.map(this.executeAll([{ text, values }]), ([rows = []]) => rows)
  }

  executeUnprepared(text: string, values: Rows): Effect.Effect<Rows, SqlError.SqlError> {
    return this.execute(text, values)
  }

  executeRaw(text: string, values: Rows): Effect.Effect<Rows, SqlError.SqlError> {
    return this.execute(text, values)
  }

  executeValues(): Effect.Effect<never> {
    return Effect.dieMessage("Rows are read as objects")
  }

  executeStream(): Stream.Stream<never> {
    return Stream.dieMessage("Statements of transactions are not streamed")
  }

  readonly rollback: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() => {
    this.#waiting = []
    return this.#isOpen ? Effect.asVoid(this.execute("rollback", [])) : Effect.void
  })

  /** Commits all sent and waiting statements. A waiting one may fail before COMMIT. */
  readonly commit: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() =>
    this.#isOpen || this.#waiting.length > 1
      ? Effect.tapError(Effect.asVoid(this.execute("commit", [])), () => Effect.ignore(this.rollback))
      : Effect.void
  )

  /** Begins a part that can be rolled back alone, by the returned effect. */
  begin(depth: number): Effect.Effect<void, SqlError.SqlError> {
    const name = `belltower_${depth}`
    const savepoint = command(`savepoint ${name}`)
    this.#waiting.push(savepoint)
    return Effect.suspend(() => {
      const at = this.#waiting.indexOf(savepoint)
      this.#waiting.splice(Math.max(0, at))
      return at === -1 ? Effect.asVoid(this.execute(`rollback to savepoint ${name}`, [])) : Effect.void
    })
  }
}

const Current = SqlClient.TransactionConnection

/** How a transaction, or a part of it, ends. */
interface Endings {
  readonly commit: Effect.Effect<void, SqlError.SqlError>
  readonly rollback: Effect.Effect<void, SqlError.SqlError>
}

/** The `withTransaction` of a client: in a transaction it makes a savepoint. */
export const makeWithTransaction = (pool: Pool): SqlClient.SqlClient["withTransaction"] => (work) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiberRuntime(({ currentContext }) => {
      /** The ending is not interrupted, nor is restoring the context: `Effect.locally` would take twice the steps. */
      const within = (connection: SqlConnection.Connection, depth: number, { commit, rollback }: Endings) =>
        FiberRef.set(FiberRef.currentContext, Context.add(currentContext, Current, [connection, depth])).pipe(
          Effect.flatMap(() => Effect.exit(restore(work))),
          Effect.flatMap((exit) =>
            FiberRef.set(FiberRef.currentContext, currentContext).pipe(
              Effect.flatMap(() => Effect.orDie(Exit.isSuccess(exit) ? commit : rollback)),
              Effect.flatMap(() => exit)
            )
          )
        )
      const outer = Option.getOrNull(Context.getOption(currentContext, Current))
      if (outer === null) {
        const connection = new TransactionConnection(poolOf(currentContext, pool))
        return Effect.ensuring(within(connection, 0, connection), connection.release)
      }
      const [connection, depth] = outer
      if (!(connection instanceof TransactionConnection)) return Effect.dieMessage("The transaction is of another client")
      const rollback = connection.begin(depth + 1)
      return within(connection, depth + 1, { commit: Effect.void, rollback })
    })
  )

/**
 * Runs a statement whose answer is not needed: in a transaction it goes with the next one, which then also fails with its failure.
 */
export const withNext = (statement: Statement.Statement<unknown>): Effect.Effect<void, SqlError.SqlError> =>
  Effect.withFiberRuntime(({ currentContext }) => {
    const [connection] = Option.getOrElse(Context.getOption(currentContext, Current), () => [null])
    if (!(connection instanceof TransactionConnection)) return Effect.asVoid(statement)
    connection.later(stepOf(statement))
    return Effect.void
  })
