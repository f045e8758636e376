/**
 * Turns the fields of a form into the arguments of an operation, in the server and, for "Copy as API call", in the browser.
 * A field's name is a path, optionally with a type: `name`, `intervalSec:number`, `assertions.0.op`, `tags:list`,
 * `start:moment@Europe/Athens`.
 */

import { completedSocket, completedUrl, hostOf } from "../../domain/tools/text/TypedAddress.ts"
import { readDuration, writeDuration } from "../../domain/tools/time/SpokenDuration.ts"
import { instantAt } from "../../domain/tools/time/ZoneOffset.ts"

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

type Convert = (text: string) => Json | undefined

/** The texts of a list as a field shows them; one that holds a separator stands in quotes. */
export const listText = (texts: ReadonlyArray<string>): string =>
  texts.map((text) => text.includes(",") ? `"${text}"` : text).join(", ")

const textsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/ ?"([^"\n]*)" ?(?=[,\n]|$)|[^,\n]+/g)].map(([whole, quoted]) => (quoted ?? whole).trim())
    .filter((part) => part !== "")

const listOf = (separator: RegExp) => (text: string) =>
  text.split(separator).map((part) => part.trim()).filter((part) => part !== "")

/** `name: value` lines; a line without a colon has an empty value, which the operation then explains. */
const pairs = (text: string): Json =>
  Object.fromEntries(
    text.split("\n").filter((line) => line.trim() !== "").map((line) => {
      const colon = line.indexOf(":")
      return colon < 0 ? [line.trim(), ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    })
  )

/** Other texts stay as they are, so that the operation explains the problem. */
const number = (text: string): Json => (Number.isFinite(Number(text)) ? Number(text) : text)

const boolean = (text: string): Json => text === "true" || text === "on"

/** A reference such as `channel/ch_1`. */
const target = (text: string): Json => {
  const [type = "", ...rest] = text.split("/")
  return { type, id: rest.join("/") }
}

/** A shift on call such as `usr_1 2026-11-22T09:00:00.000Z 2026-11-23T09:00:00.000Z`. */
const shift = (text: string): Json => {
  const [userId = "", start = "", end = ""] = text.split(" ")
  return { userId, start, end }
}

/**
 * The instant at which a clock in a zone shows a local time such as `2026-11-22T09:30`. A time that a clock skips is moved by the
 * skip; of two instants with one clock time, the first counts. Other texts stay as they are.
 */
const momentIn = (zone: string) => (text: string): Json => {
  const shown = Date.parse(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/.test(text) ? `${text}Z` : "")
  if (Number.isNaN(shown)) return text
  return new Date(instantAt(shown, zone)).toISOString()
}

/** The types of durations, with the unit of the argument in ms; a number alone is in it, too. */
const durations = {
  seconds: [1000, "s"],
  "seconds?": [1000, "s"],
  millis: [1, "ms"],
  "millis?": [1, "ms"],
  minutes: [60_000, "m"]
} as const
export type DurationType = keyof typeof durations

/** The unit of a field for durations, ms; null for other fields. */
export const unitOf = (type: string): number | null => Object.entries(durations).find(([name]) => name === type)?.[1][0] ?? null

/** Texts that are no duration stay as they are, so that the operation explains the problem. */
const duration = (type: DurationType) => (text: string): Json => {
  const [size, unit] = durations[type]
  const ms = readDuration(text, unit)
  return ms === null ? text : ms / size
}

/** `90` as `1 min 30 s`. */
const completedDuration = (type: DurationType) => (text: string): string => {
  const ms = readDuration(text, durations[type][1])
  return ms === null ? text : writeDuration(ms)
}

/** Normalizes texts that people write in several ways, such as a URL without its scheme. */
const completing = {
  url: completedUrl,
  "url?": completedUrl,
  socket: completedSocket,
  host: hostOf,
  "host?": hostOf,
  email: (text) => text.trim(),
  word: (text) => text.trim(),
  seconds: completedDuration("seconds"),
  "seconds?": completedDuration("seconds?"),
  millis: completedDuration("millis"),
  "millis?": completedDuration("millis?"),
  minutes: completedDuration("minutes")
} satisfies Record<string, (text: string) => string>
const completions: Readonly<Record<string, (text: string) => string>> = completing

/** The second entry is an empty field's value; undefined leaves it out. */
const converting = {
  text: [(text) => text, undefined],
  number: [number, undefined],
  seconds: [duration("seconds"), undefined],
  "seconds?": [duration("seconds?"), null],
  millis: [duration("millis"), undefined],
  "millis?": [duration("millis?"), null],
  minutes: [duration("minutes"), undefined],
  minuteList: [(text) => listOf(/[,\n]/)(text).map(duration("minutes")), []],
  boolean: [boolean, undefined],
  list: [textsOf, []],
  // A list that is left out if it is empty.
  "list+": [textsOf, undefined],
  numberList: [(text) => listOf(/[,\n]/)(text).map(number), []],
  "numberList+": [(text) => listOf(/[,\n]/)(text).map(number), undefined],
  lines: [listOf(/\n/), []],
  pairs: [pairs, {}],
  // An empty field clears the value.
  "text?": [(text) => text, null],
  "word?": [(text) => text.trim(), null],
  "number?": [number, null],
  "url?": [completedUrl, null],
  "host?": [hostOf, null],
  // Checked boxes of one name; a hidden empty field says that the form has the boxes.
  all: [(text) => [text], []],
  numbers: [(text) => [number(text)], []],
  // The same, left out if no box is checked.
  "numbers+": [(text) => [number(text)], undefined],
  target: [target, undefined],
  shift: [shift, undefined],
  // The text as it is, also when it is empty.
  raw: [(text) => text, ""]
} satisfies Record<string, readonly [Convert, Json | undefined]>
const types: Readonly<Record<string, readonly [Convert, Json | undefined]>> = converting

/** The type in the name of a field. A `key` names the row that it stands in. */
export type FieldType = keyof typeof completing | keyof typeof converting | "key" | `moment@${string}`

const momentType = "moment@"

/** Text unless the name has a known type. `moment@Europe/Athens` is a local time there. */
const typeOf = (type: string): readonly [Convert, Json | undefined] =>
  type.startsWith(momentType)
    ? [momentIn(type.slice(momentType.length)), undefined]
    : types[type] ?? [completions[type] ?? ((text) => text), undefined]

const parsed = (name: string): readonly [ReadonlyArray<string>, string] => {
  const colon = name.lastIndexOf(":")
  const path = colon < 0 ? name : name.slice(0, colon)
  return [path.split("."), colon < 0 ? "text" : name.slice(colon + 1)]
}

/** An address or a duration as the field's operation receives it. Other fields stay as they are. */
export const completed = (name: string, text: string): string => {
  const [, type] = parsed(name)
  return text.trim() === "" ? text : completions[type]?.(text) ?? text
}

type Tree = Map<string, Tree | Json>

const put = (tree: Tree, [first = "", ...rest]: ReadonlyArray<string>, value: Json): void => {
  if (rest.length === 0) {
    const before = tree.get(first)
    tree.set(first, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value)
    return
  }
  const inner = tree.get(first)
  const next: Tree = inner instanceof Map ? inner : new Map<string, Tree | Json>()
  tree.set(first, next)
  put(next, rest, value)
}

const isIndex = (name: string): boolean => /^\d{1,4}$/.test(name)

/** A branch whose names are numbers is a list; gaps close, because removed rows leave them. */
const toJson = (tree: Tree | Json): Json => {
  if (!(tree instanceof Map)) return tree
  const entries = [...tree]
  return entries.length > 0 && entries.every(([name]) => isIndex(name))
    ? entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => toJson(value))
    : Object.fromEntries(entries.map(([name, value]) => [name, toJson(value)]))
}

const isOwnField = (name: string): boolean => name.startsWith("_")

/** The path of the object or list that contains a field. */
const parentOf = (path: ReadonlyArray<string>): string => path.slice(0, -1).join(".")

const filledIn = (fields: Iterable<readonly [string, string]>) => {
  const filled = [...fields].flatMap(([name, given]) => {
    if (isOwnField(name)) return []
    const [path, type] = parsed(name)
    const [convert, empty] = typeOf(type)
    const text = given.replaceAll("\r\n", "\n")
    const value = text.trim() === "" ? empty : convert(text)
    return value === undefined ? [] : [{ path, isKey: type === "key", value }]
  })
  const rows = new Set(filled.flatMap(({ isKey, path }) => (isKey ? [] : [parentOf(path)])))
  return filled.filter(({ isKey, path }) => !isKey || rows.has(parentOf(path)))
}

/** Values at their paths. */
export const treeOf = (entries: ReadonlyArray<readonly [path: ReadonlyArray<string>, value: Json]>) => {
  const tree: Tree = new Map()
  for (const [path, value] of entries) put(tree, path, value)
  return Object.fromEntries([...tree].map(([name, value]) => [name, toJson(value)]))
}

/** The same shape with the path of its field in each list: where a row is removed, those after it move up. */
export const formPaths = (fields: Iterable<readonly [string, string]>) =>
  treeOf(filledIn(fields).map(({ path }) => [path, path.join(".")]))

/**
 * The arguments of the operation. The last of several values of a name counts, except for `all`, `numbers` and `numbers+`. A field of the
 * type `key` names the row that it stands in, and is left out with the row if nothing else of it is filled in.
 */
export const formBody = (fields: Iterable<readonly [string, string]>): { readonly [name: string]: Json } =>
  treeOf(filledIn(fields).map(({ path, value }) => [path, value]))
