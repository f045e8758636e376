/** The problems of an entry of a document, field by field. */
import type { ParseResult } from "effect"
import { fieldIssues } from "../input/FieldIssues.ts"
import type { Refusal } from "../Refusal.ts"
import { isStorable } from "../tools/text/Storable.ts"

/** Reported issues of one entry. */
const most = 5

export const entryIssues = (error: ParseResult.ParseError): ReadonlyArray<Refusal> =>
  fieldIssues(error).slice(0, most).map(({ message, path }) => ({ path: path === "" ? null : path, message }))

/** The path of a text that the database cannot store; null if it stores all. */
export const unstorableAt = (value: unknown, path: ReadonlyArray<string> = []): string | null => {
  if (typeof value === "string") return isStorable(value) ? null : path.join(".")
  if (typeof value !== "object" || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    const found = isStorable(name) ? unstorableAt(inner, [...path, name]) : path.join(".")
    if (found !== null) return found
  }
  return null
}

/** The keys that come twice, by the index of their second entry. */
export const repeatedKeys = (entries: ReadonlyArray<{ readonly key: string }>): ReadonlyArray<Refusal> => {
  const seen = new Set<string>()
  return entries.flatMap(({ key }, index) => {
    if (seen.has(key)) return [{ path: `${index}.key`, message: `Another entry has the key ${key}` }]
    seen.add(key)
    return []
  })
}
