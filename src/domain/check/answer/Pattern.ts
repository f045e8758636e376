/** Regular expressions of tenants, in an engine whose time is linear in the text. */
import { Either } from "effect"
import { RE2JS } from "re2js"

/** Limits a pattern's instructions. Matching takes up to instructions times text length, and would delay other checks. */
export const largestPattern = 1000

export const compilePattern = (pattern: string): Either.Either<RE2JS, string> =>
  Either.try({
    try: () => RE2JS.compile(pattern),
    catch: (error) => (error instanceof Error ? error.message : String(error))
  }).pipe(
    Either.filterOrLeft((compiled) => compiled.programSize() <= largestPattern, () => `The pattern "${pattern}" is too large`)
  )
