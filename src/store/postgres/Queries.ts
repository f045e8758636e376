/**
 * Makes queries: functions that run a statement and decode its rows. Each is made once, because its decoder is composed then. A
 * failure of
 * the database, and a row that does not fit its schema, is a defect, except of `tryAll` and `tryOne`, whose callers handle a failure.
 */
import { DateTime, Effect, Either, identity, Option, type ParseResult, Schema } from "effect"
import { forEachOverTurns } from "../../loops/OverTurns.ts"

type Arguments = ReadonlyArray<unknown>

type Statement<E = unknown> = Effect.Effect<ReadonlyArray<unknown>, E>

/** Makes the statement of a query from its arguments. */
type Execute<Args extends Arguments, E = unknown> = (...args: Args) => Statement<E>

/** A statement that needs the current time. */
export const atNow = (statement: (now: Date) => Statement): Statement =>
  Effect.flatMap(DateTime.now, (now) => statement(DateTime.toDateUtc(now)))

/** All rows. */
export const tryAll = <A, I, E, Args extends Arguments>(row: Schema.Schema<A, I>, execute: Execute<Args, E>) => {
  const decode = Schema.decodeUnknown(Schema.Array(row))
  return (...args: Args) => Effect.flatMap(execute(...args), (rows) => decode(rows))
}

/** The first row, if there is one. */
export const tryOne = <A, I, E, Args extends Arguments>(row: Schema.Schema<A, I>, execute: Execute<Args, E>) => {
  const decode = Schema.decodeUnknown(row)
  return (...args: Args) =>
    Effect.flatMap(execute(...args), ([first]) => first === undefined ? Effect.succeedNone : Effect.asSome(decode(first)))
}

/** Decodes rows in one step; a row that does not fit its schema is a defect. */
export const decodedBy = <A, I, B = A>(
  schema: Schema.Schema<A, I>,
  then: (decoded: A) => B
): (rows: unknown) => Effect.Effect<B> => {
  const decode = Schema.decodeUnknownEither(schema)
  return (rows) => {
    const decoded = decode(rows)
    return Either.isRight(decoded) ? Effect.succeed(then(decoded.right)) : Effect.die(decoded.left)
  }
}

/** All rows. */
export const findAll = <A, I, Args extends Arguments>(row: Schema.Schema<A, I>, execute: Execute<Args>) => {
  const decode = decodedBy(Schema.Array(row), identity)
  return (...args: Args): Effect.Effect<ReadonlyArray<A>> => Effect.flatMap(Effect.orDie(execute(...args)), decode)
}

/** The first row, if there is one. */
export const findOne = <A, I, Args extends Arguments>(row: Schema.Schema<A, I>, execute: Execute<Args>) => {
  const decode = decodedBy(row, Option.some)
  return (...args: Args): Effect.Effect<Option.Option<A>> =>
    Effect.flatMap(Effect.orDie(execute(...args)), ([first]) => first === undefined ? Effect.succeedNone : decode(first))
}

/** The row of a statement that always has one. */
export const findSingle = <A, I, Args extends Arguments>(row: Schema.Schema<A, I>, execute: Execute<Args>) => {
  const decode = decodedBy(row, identity)
  return (...args: Args): Effect.Effect<A> => Effect.flatMap(Effect.orDie(execute(...args)), ([only]) => decode(only))
}

const onlyTime = findSingle(Schema.Struct({ at: Schema.NullOr(Schema.DateTimeUtcFromDate) }), (statement: Statement) => statement)

/** The time `at` of the only row; none if it is null. */
export const earliestOf = (statement: Statement): Effect.Effect<Option.Option<DateTime.Utc>> =>
  Effect.map(onlyTime(statement), ({ at }) => Option.fromNullable(at))

const onlyCount = findSingle(Schema.Struct({ count: Schema.Int }), (statement: Statement) => statement)

/** The `count` of the only row. */
export const countOf = (statement: Statement): Effect.Effect<number> => Effect.map(onlyCount(statement), ({ count }) => count)

/** Whether a statement has a row. */
export const exists = (statement: Statement): Effect.Effect<boolean> =>
  Effect.orDie(Effect.map(statement, (rows) => rows.length > 0))

/** Runs a statement for what it changes. */
export const write = (statement: Statement): Effect.Effect<void> => Effect.asVoid(Effect.orDie(statement))

/** Rows decoded in one turn: about 2 ms. */
const perTurn = 20

/** Decodes many rows over turns of the event loop: those of a large page together would hold it for tens of milliseconds. */
export const decodedOverTurns = <A, I>(
  row: Schema.Schema<A, I>
): (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, ParseResult.ParseError> => {
  const decode = Schema.decodeUnknown(row)
  return (rows) => forEachOverTurns(rows, perTurn, (one) => decode(one))
}
