/** The error of starting a database server or connecting to one. */
import { Data } from "effect"

/** The database is not available. `message` is one line for the operator: the problem and what to do. */
export class DatabaseUnavailable extends Data.TaggedError("DatabaseUnavailable")<{
  readonly message: string
  readonly cause?: unknown
}> {}
