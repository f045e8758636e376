/** The schedules of a document, converted one by one; those that cannot be carried become warnings. */
import { type DateTime, Either, Predicate } from "effect"
import { makeNotes, type Notes } from "../Carry.ts"
import { emptyInventory, type FoundSchedule, type Inventory } from "../Inventory.ts"
import { idOf, type Loose, recordOf, recordsOf, textAt } from "../Loose.ts"
import { foundSchedule, type SourceSchedule } from "./SourceSchedule.ts"

/** Schedules of one document. */
const most = 500

/** The entries of a list. In its place may be the whole answer of an API, which has them in a field, or one entry alone. */
export const entriesAt = (document: Loose, ...names: ReadonlyArray<string>): ReadonlyArray<Loose> => {
  const value = names.map((name) => document[name]).find((found) => found !== undefined)
  const answer = recordOf(value)
  const inner = ["results", "data", ...names].map((name) => answer[name]).find((found) => found !== undefined)
  return Array.isArray(value)
    ? recordsOf(value)
    : inner !== undefined
    ? recordsOf(inner)
    : Predicate.isRecord(value)
    ? [value]
    : []
}

/** The addresses of users by their ids. */
export const addressesOf = (users: ReadonlyArray<Loose>): ReadonlyMap<string, string> =>
  new Map(users.flatMap((user) => {
    const [id, email] = [textAt(user, "id"), textAt(user, "email")]
    return id === null || email === null ? [] : [[id, email.toLowerCase()]]
  }))

/** Reads each schedule by `read`, which says in the notes what it leaves out; a text instead says why it is none. */
export const schedulesInventory = (
  schedules: ReadonlyArray<Loose>,
  now: DateTime.Utc,
  read: (schedule: Loose, notes: Notes) => Omit<SourceSchedule, "id" | "name"> | string
): Inventory => {
  const found: Array<FoundSchedule> = []
  const warnings = schedules.length > most ? [`Only the first ${most} schedules are read`] : []
  for (const [index, schedule] of schedules.slice(0, most).entries()) {
    const name = textAt(schedule, "name", "summary") ?? `Schedule ${index + 1}`
    const notes = makeNotes()
    const given = read(schedule, notes)
    const one = typeof given === "string"
      ? Either.left(`The schedule ${name} is not carried: ${given}`)
      : foundSchedule({ ...given, id: idOf(schedule, name, index), name }, now, notes)
    if (Either.isLeft(one)) warnings.push(one.left)
    else found.push(one.right)
  }
  return { ...emptyInventory, schedules: found, warnings }
}
