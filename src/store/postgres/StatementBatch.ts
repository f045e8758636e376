/**
 * Statements as one message of the extended protocol: one Sync ends them all, so the server answers in one piece, and after a failure it
 * skips the rest. A statement that a connection knows by name is neither parsed nor described again.
 */
import { Either } from "effect"
import type { Connection, FieldDef, PoolClient } from "pg"
import Query from "pg/lib/query.js"
import pgUtils from "pg/lib/utils.js"
import type { KeptPlans } from "./KeptPlans.ts"
import type { StatementNames } from "./StatementNames.ts"
import type { Rows, Step } from "./Step.ts"

/** A step whose values are as the protocol takes them. */
interface PreparedStep {
  readonly text: string
  readonly values: Array<string | Buffer | null>
}

type Columns = ReadonlyArray<string | null>

/** Makes an object of a row; the server sends its columns as texts. */
type RowReader = (columns: Columns) => Readonly<Record<string, unknown>>

/** The state of a connection's session at its server. */
export interface StatementSession {
  readonly names: StatementNames
  /** The named statements of the session, and how their rows are read; null until the server has described them. */
  readonly prepared: Map<string, RowReader | null>
  /** Names that the server may have or not: a batch that was to prepare them failed. */
  readonly doubtful: Set<string>
  readonly plans: KeptPlans
}

export const makeStatementSession = (names: StatementNames): StatementSession => ({
  names,
  prepared: new Map(),
  doubtful: new Set(),
  plans: { since: performance.now() }
})

const rowReader = (client: PoolClient, fields: ReadonlyArray<FieldDef>): RowReader => {
  const readers = fields.map(({ dataTypeID, name }) => ({ name, read: client.getTypeParser(dataTypeID, "text") }))
  return (columns) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < readers.length; at++) {
      const reader = readers[at]
      const text = columns[at]
      if (reader !== undefined) row[reader.name] = text === null || text === undefined ? null : reader.read(text)
    }
    return row
  }
}

const noRow: RowReader = () => ({})

type Answer = Either.Either<ReadonlyArray<Rows>, Error>

const errorOf = (cause: unknown): Error => cause instanceof Error ? cause : new Error(String(cause))

/** The driver calls its methods to send it and while the answer arrives. In pipeline mode it takes its own queries only. */
export class StatementBatch extends Query {
  readonly #client: PoolClient
  readonly #session: StatementSession
  readonly steps: ReadonlyArray<Step>
  readonly #done: (answer: Answer) => void
  readonly #results: Array<Rows> = []
  /** The names that this batch prepares. */
  readonly #fresh: Array<string> = []
  readonly #nameOfStep: Array<string | null> = []
  #rows: Array<unknown> = []
  #reader: RowReader | null = null
  #fault: Error | null = null
  #isOver = false

  constructor(
    client: PoolClient,
    session: StatementSession,
    steps: ReadonlyArray<Step>,
    done: (answer: Answer) => void
  ) {
    super("")
    this.#client = client
    this.#session = session
    this.steps = steps
    this.#done = done
  }

  #end(answer: Answer): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#done(answer)
  }

  #send(connection: Connection, { text, values }: PreparedStep): void {
    const { doubtful, names, prepared } = this.#session
    const name = names.nameOf(text)
    this.#nameOfStep.push(name)
    if (name === null) connection.parse({ name: "", text, types: [] }, true)
    else if (!prepared.has(name)) {
      if (doubtful.delete(name)) connection.close({ type: "S", name }, true)
      connection.parse({ name, text, types: [] }, true)
      prepared.set(name, null)
      this.#fresh.push(name)
    }
    connection.bind({ statement: name ?? "", values }, true)
    if (name === null || (prepared.get(name) ?? null) === null) connection.describe({ type: "P" }, true)
    connection.execute(null, true)
  }

  submit(connection: Connection): void {
    // A value that cannot be written fails before anything is sent.
    const steps = Either.try({
      try: () =>
        this.steps.map(({ text, values }): PreparedStep => ({
          text,
          values: values.map((value) => pgUtils.prepareValue(value))
        })),
      catch: errorOf
    })
    if (Either.isLeft(steps)) this.#fault = steps.left
    const { stream } = connection
    stream.cork()
    for (const step of Either.getOrElse(steps, (): ReadonlyArray<PreparedStep> => [])) this.#send(connection, step)
    connection.sync()
    stream.uncork()
  }

  get #name(): string | null {
    return this.#nameOfStep[this.#results.length] ?? null
  }

  #keep(reader: RowReader): RowReader {
    const name = this.#name
    if (name !== null) this.#session.prepared.set(name, reader)
    return reader
  }

  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<FieldDef> }): void {
    this.#reader = this.#keep(rowReader(this.#client, fields))
  }

  handleDataRow({ fields }: { readonly fields: Columns }): void {
    const name = this.#name
    const reader = this.#reader ??= (name === null ? null : this.#session.prepared.get(name)) ?? noRow
    const row = Either.try({ try: () => reader(fields), catch: errorOf })
    if (Either.isRight(row)) this.#rows.push(row.right)
    else this.#fault ??= row.left
  }

  handleCommandComplete(): void {
    const name = this.#name
    // A statement without rows is not described with any.
    if (this.#reader === null && name !== null && this.#session.prepared.get(name) === null) this.#keep(noRow)
    this.#results.push(this.#rows)
    this.#rows = []
    this.#reader = null
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }

  handleReadyForQuery(): void {
    this.#end(this.#fault === null ? Either.right(this.#results) : Either.left(this.#fault))
  }

  handleError(error: unknown): void {
    if (this.#isOver) return
    const { doubtful, names, prepared } = this.#session
    for (const name of this.#fresh) {
      prepared.delete(name)
      doubtful.add(name)
    }
    const failing = this.steps[this.#results.length]
    if (failing !== undefined) names.failed(failing.text, error)
    this.#end(Either.left(errorOf(error)))
  }
}
