/** Decodes many rows over turns of the event loop: those of a large page together would hold it for tens of milliseconds. */
import { type Effect, type ParseResult, Schema } from "effect"
import { forEachOverTurns } from "../loops/OverTurns.ts"

/** Rows decoded in one turn: about 2 ms. */
const perTurn = 20

export const decodedOverTurns = <A, I>(
  row: Schema.Schema<A, I>
): (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, ParseResult.ParseError> => {
  const decode = Schema.decodeUnknown(row)
  return (rows) => forEachOverTurns(rows, perTurn, (one) => decode(one))
}
