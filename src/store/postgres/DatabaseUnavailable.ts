/** The failure of everything that brings a database up or reaches for one. */
import { Data } from "effect"

/** The database cannot be had; `message` is one line for the person who starts the program and says what to do. */
export class DatabaseUnavailable extends Data.TaggedError("DatabaseUnavailable")<{
  readonly message: string
  readonly cause?: unknown
}> {}
