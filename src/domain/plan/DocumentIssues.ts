/** The problems of an entry of a document, field by field. */
import { ParseResult } from "effect"
import type { Refusal } from "../Refusal.ts"
import { gather } from "../tools/Gather.ts"
import { isStorable } from "../tools/text/Storable.ts"

/** Reported issues of one entry. */
const most = 5

/** Characters of a message; those about unions list every alternative. */
const longest = 200

const worded = (message: string, tag: string): string =>
  tag === "Unexpected"
    ? "Unknown field"
    : tag === "Missing"
    ? "Required"
    : message.length > longest
    ? "Not a valid value"
    : message

/** A value that none of the alternatives takes has an issue for each of them; they become one. */
const together = (messages: ReadonlyArray<string>): string => {
  const parts = messages.map((message) => /^Expected (.*), actual (.*)$/.exec(message))
  const [first] = parts
  if (messages.length < 2 || first === undefined || first === null || parts.includes(null)) return messages[0] ?? ""
  return `Expected one of ${parts.map((part) => part?.[1]).join(", ")}, got ${first[2]}`
}

export const entryIssues = (error: ParseResult.ParseError): ReadonlyArray<Refusal> => {
  const byPath = gather(
    ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) => [issue.path.map(String).join("."), issue] as const)
  )
  return [...byPath].slice(0, most).map(([path, issues]) => ({
    path: path === "" ? null : path,
    message: worded(together([...new Set(issues.map(({ message }) => message))]), issues[0]?._tag ?? "Type")
  }))
}

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
