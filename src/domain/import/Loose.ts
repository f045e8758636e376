/** Reads JSON of other services leniently: a field that is missing or of another type is null, never an error. */
import { DateTime, Option, Predicate } from "effect"
import { createHash } from "node:crypto"
import { storable } from "../tools/text/Storable.ts"

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

export type Loose = Readonly<Record<string, unknown>>

const nothing: Loose = {}

export const recordOf = (value: unknown): Loose => (Predicate.isRecord(value) ? value : nothing)

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Our table's entry for an untrusted word, which may be `valueOf`. */
export const entryOf = <A>(table: Readonly<Record<string, A>>, word: string): A | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

export const recordsOf = (value: unknown): ReadonlyArray<Loose> => listOf(value).filter(Predicate.isRecord)

/** The first of the fields that holds a text or a number, as text without surrounding space. An empty text counts as missing. */
export const textAt = (from: Loose, ...names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    const value = from[name]
    const text = typeof value === "number" && Number.isFinite(value) ? String(value) : value
    if (typeof text === "string" && text.trim() !== "") return storable(text.trim())
  }
  return null
}

/** Characters of an id that names a thing here. */
const longestId = 200

/** The id of a thing at its source, by which a later import finds it again. One without an id has its name, or its position in the list. */
export const idOf = (entry: Loose, name: string | null, index: number): string => {
  const id = textAt(entry, "id") ?? name ?? String(index + 1)
  return id.length <= longestId ? id : createHash("sha1").update(id).digest("hex")
}

/** The first of the fields that holds a number, or a text that is one. */
export const numberAt = (from: Loose, ...names: ReadonlyArray<string>): number | null => {
  for (const name of names) {
    const value = from[name]
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
    if (typeof number === "number" && Number.isFinite(number)) return number
  }
  return null
}

/** true for true, 1, "1" and "true". */
export const flagAt = (from: Loose, name: string): boolean => {
  const value = from[name]
  return value === true || value === 1 || value === "1" || value === "true"
}

/** True for false and 0; a missing flag is not off. */
export const isOff = (from: Loose, name: string): boolean => from[name] === 0 || from[name] === false

export const jsonAt = (from: Loose, name: string): unknown => Option.getOrNull(parsed(textAt(from, name) ?? "null"))

/** A time in any form that JavaScript reads, which takes `1.5` for a day in 2001: one has a year. */
export const timeAt = (from: Loose, ...names: ReadonlyArray<string>): DateTime.Utc | null => {
  const text = textAt(from, ...names)
  return text === null || !/\d{4}/.test(text) ? null : Option.getOrNull(Option.map(DateTime.make(text), DateTime.toUtc))
}

/** The texts of a list of texts, of numbers, or of records with a `name`. */
export const namesOf = (value: unknown): ReadonlyArray<string> =>
  listOf(value).flatMap((item) => {
    const name = textAt(Predicate.isRecord(item) ? item : { name: item }, "name", "value")
    return name === null ? [] : [name]
  })

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'", nbsp: " " }

/** A number that is no character stands for the replacement character. */
const characterOf = (code: number): string => code > 0x10ffff ? "\ufffd" : storable(String.fromCodePoint(code))

/** Replaces the HTML entities that services escape names with: those of markup, and numbers. */
export const unescaped = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi,
    (whole, hex?: string, decimal?: string, name = "") =>
      hex !== undefined
        ? characterOf(Number.parseInt(hex, 16))
        : decimal !== undefined
        ? characterOf(Number(decimal))
        : entryOf(entities, name.toLowerCase()) ?? whole
  )
