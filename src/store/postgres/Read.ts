/** Reads that can travel together: the statements of all of them are one round trip, in their order. */
import type { Statement } from "@effect/sql"
import { Effect, identity, Option, Schema } from "effect"
import { sendTogether } from "./LeanStatements.ts"
import { decodedBy } from "./Queries.ts"
import type { Rows } from "./Step.ts"

/** Statements, and what their rows say. Rows that cannot be decoded are a defect. */
export interface Read<A> {
  readonly statements: ReadonlyArray<Statement.Statement<unknown>>
  /** Takes the rows of each statement. */
  readonly decode: (results: ReadonlyArray<Rows>) => Effect.Effect<A>
}

/** Without fibers, and without `Effect.zip`, which prepares for them: they would cost as much as the round trip that is saved. */
export const both = <A, B>(one: Read<A>, other: Read<B>): Read<readonly [A, B]> => {
  const first = one.statements.length
  return {
    statements: [...one.statements, ...other.statements],
    decode: (results) =>
      Effect.flatMap(
        one.decode(results.slice(0, first)),
        (a) => Effect.map(other.decode(results.slice(first)), (b): readonly [A, B] => [a, b])
      )
  }
}

export const nothing = <A>(value: A): Read<A> => ({ statements: [], decode: () => Effect.succeed(value) })

export const flatMapRead = <A, B>({ decode, statements }: Read<A>, f: (value: A) => Effect.Effect<B>): Read<B> => ({
  statements,
  decode: (results) => Effect.flatMap(decode(results), f)
})

export const mapRead = <A, B>(read: Read<A>, f: (value: A) => B): Read<B> =>
  flatMapRead(read, (value) => Effect.succeed(f(value)))

/** The author of a statement has declared what its rows are. */
const areRows = <A>(_: Statement.Statement<A>, rows: Rows): rows is ReadonlyArray<A> => Array.isArray(rows)

/** Rows whose type needs no decoding. */
export const readRows = <A>(statement: Statement.Statement<A>): Read<ReadonlyArray<A>> => ({
  statements: [statement],
  decode: ([rows = []]) => Effect.succeed(areRows(statement, rows) ? rows : [])
})

/** Makes reads of all rows. To be called once per schema: the decoder is composed then. */
export const readAll = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = decodedBy(Schema.Array(schema), identity)
  return (statement: Statement.Statement<unknown>): Read<ReadonlyArray<A>> => ({
    statements: [statement],
    decode: ([rows]) => decode(rows ?? [])
  })
}

/** Makes reads of the first row, if there is one. To be called once per schema, like `readAll`. */
export const readFirst = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = decodedBy(schema, Option.some)
  return (statement: Statement.Statement<unknown>): Read<Option.Option<A>> => ({
    statements: [statement],
    decode: ([rows]) => rows === undefined || rows.length === 0 ? Effect.succeedNone : decode(rows[0])
  })
}

/** Asks the database. A failure of it is a defect. */
export const run = <A>({ decode, statements }: Read<A>): Effect.Effect<A> =>
  Effect.flatMap(Effect.orDie(sendTogether(statements)), decode)
