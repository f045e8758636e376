/** Says which fields of a source have a value that cannot be read: the thing has the default there. */
import { Predicate } from "effect"
import type { Notes } from "./Carry.ts"
import { listOf, type Loose, namesOf, numberAt, recordOf, textAt } from "./Loose.ts"

/** The fields that a converter reads of a thing, by what it takes them for. */
export interface Read {
  readonly texts?: ReadonlyArray<string>
  readonly numbers?: ReadonlyArray<string>
  readonly flags?: ReadonlyArray<string>
  readonly records?: ReadonlyArray<string>
  /** Lists of texts, of numbers, or of records with a name. */
  readonly lists?: ReadonlyArray<string>
  /** Lists of records, each of which has one of the fields. */
  readonly rows?: Readonly<Record<string, ReadonlyArray<string>>>
}

const flags: ReadonlyArray<unknown> = [true, false, 0, 1, "0", "1", "true", "false"]

/** PHP writes an empty record as an empty list. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)

export const sayUnread = (notes: Notes, from: Loose, read: Read): void => {
  const { lists = [], numbers = [], records = [], rows = {}, texts = [] } = read
  const unread = [
    ...texts.filter((name) => textAt(from, name) === null),
    ...numbers.filter((name) => numberAt(from, name) === null),
    ...(read.flags ?? []).filter((name) => !flags.includes(from[name])),
    ...records.filter((name) => !Predicate.isRecord(from[name])),
    ...[...lists, ...Object.keys(rows)].filter((name) => !Array.isArray(from[name]))
  ]
  for (const name of unread) if (!isEmpty(from[name])) notes.say(`Its ${name} cannot be read, and has the default`)
  const lost = [
    ...lists.filter((name) => namesOf(from[name]).length < listOf(from[name]).length),
    ...Object.entries(rows).filter(([name, fields]) =>
      listOf(from[name]).some((row) => textAt(recordOf(row), ...fields) === null)
    )
      .map(([name]) => name)
  ]
  for (const name of lost) notes.say(`Its ${name} holds entries that cannot be read`)
}

/** The name of a group that a thing refers to by `id`; null with a note where the source names no such group. */
export const groupOf = (notes: Notes, groups: ReadonlyMap<string, string>, from: Loose, id: string): string | null => {
  const name = groups.get(textAt(from, id) ?? "") ?? null
  if (name === null && !isEmpty(from[id]) && textAt(from, id) !== "0") notes.say("Its group is not known, and is not carried")
  return name
}
