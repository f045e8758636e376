/** Shortens lists for agents: few rows, each with its identifying fields and its state. */
import { Predicate } from "effect"

type Row = Readonly<Record<string, unknown>>

/** Rows of a list over MCP, unless the caller asks for another number. */
export const defaultRows = 20

export const mostRows = 500

/** The longest text in a row; the full record has longer ones. */
const longestText = 300

/** Fields that identify a nested record or give its state; the full record has the others. */
const telling = new Set([
  "_id",
  "at",
  "cause",
  "check",
  "component",
  "email",
  "end",
  "error",
  "from",
  "id",
  "incident",
  "kind",
  "latencyMs",
  "message",
  "monitor",
  "name",
  "outcome",
  "reason",
  "role",
  "start",
  "state",
  "status",
  "statusCode",
  "statusMessage",
  "title",
  "to",
  "type",
  "user"
])

/** Rarely needed to choose among rows. */
const bookkeeping = new Set(["createdAt", "updatedAt", "createdBy", "dashboardUrl"])

/** The fields of rows that have many, by list. */
const rowFields: Readonly<Record<string, ReadonlySet<string>>> = {
  list_monitors: new Set([
    "id",
    "name",
    "kind",
    "url",
    "host",
    "state",
    "stateSince",
    "intervalSec",
    "late",
    "lastCheck",
    "openIncidentId",
    "channelIds",
    "tags",
    "regions"
  ]),
  list_oncall_schedules: new Set(["id", "name", "timezone", "participants", "current", "warnings"])
}

/** Fields by which agents decide, although most lists leave such fields out. */
const decisive: Readonly<Record<string, ReadonlySet<string>>> = {
  list_deliveries: new Set(["createdAt"]),
  list_escalation_policies: new Set(["levels"]),
  list_oncall_members: new Set(["contact", "ways"]),
  get_current_oncall: new Set(["contact", "email"])
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

const isShort = (value: unknown): boolean => typeof value !== "string" || value.length <= longestText

/** A nested record with its `telling` fields; undefined if it has none. */
const nested = (value: unknown, depth: number): unknown => {
  if (!Predicate.isRecord(value)) return value
  if (depth === 0) return undefined
  const kept = Object.entries(value)
    .filter(([name, inner]) => telling.has(name) && !isEmpty(inner) && isShort(inner) && !Array.isArray(inner))
    .map(([name, inner]) => [name, nested(inner, depth - 1)] as const)
    .filter(([, inner]) => !isEmpty(inner))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const isScalarList = (value: unknown): boolean => Array.isArray(value) && value.length <= 10 && !value.some(Predicate.isRecord)

const compactField = (list: string, name: string, value: unknown): unknown => {
  const wanted = rowFields[list]
  if (!isEmpty(value) && decisive[list]?.has(name) === true) return value
  if (isEmpty(value) || !isShort(value) || bookkeeping.has(name) || (wanted !== undefined && !wanted.has(name))) return undefined
  if (Array.isArray(value)) return isScalarList(value) ? value : undefined
  return nested(value, 3)
}

/** A row without empty fields, long texts, settings and nested lists. */
export const compactRow = (list: string, row: unknown): unknown => {
  if (!Predicate.isRecord(row)) return row
  const kept = Object.entries(row)
    .map(([name, value]) => [name, compactField(list, name, value)] as const)
    .filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept)
}

/** The fields that a caller names, as they are, with what identifies the row. */
const chosenRow = (row: unknown, names: ReadonlySet<string>): unknown =>
  Predicate.isRecord(row)
    ? Object.fromEntries(Object.entries(row).filter(([name]) => name === "id" || name === "_id" || names.has(name)))
    : row

export interface ListWish {
  /** Whether rows have all fields, or those that they have. */
  readonly full: boolean | ReadonlySet<string>
  readonly limit: number
  /** The argument that takes `next`; null if the operation sends all rows, or no row follows the last. */
  readonly cursor: "after" | "before" | null
}

/** How to get the rows that are missing. */
const moreRows = (sent: number, { next }: Row, { cursor, limit }: ListWish): ReadonlyArray<string> =>
  sent > limit
    ? [`${sent - limit} more rows: pass limit, at most ${mostRows}`]
    : sent < limit || sent === 0
    ? []
    : cursor === null
    ? [`maybe more rows: pass limit, at most ${mostRows}`]
    : typeof next === "string"
    ? [`more rows: pass next as ${cursor}`]
    : []

const shownRow = (list: string, row: unknown, full: ListWish["full"]): unknown =>
  full === true ? row : full === false ? compactRow(list, row) : chosenRow(row, full)

/** Whether a row shows less than there is. */
const lacks = (row: unknown, shown: unknown): boolean =>
  Predicate.isRecord(row) && Predicate.isRecord(shown) &&
  Object.entries(row).some(([name, value]) => !isEmpty(value) && JSON.stringify(shown[name]) !== JSON.stringify(value))

/** The list as an agent gets it. `leftOut` says what is missing and how to get it; absent if complete. */
export const compactList = (list: string, answer: Row, wish: ListWish): Row => {
  const { data, ...rest } = answer
  if (!Array.isArray(data)) return answer
  const rows = data.slice(0, wish.limit)
  const shown = rows.map((row) => shownRow(list, row, wish.full))
  const leftOut = [
    ...moreRows(data.length, rest, wish),
    ...(wish.full === false && rows.some((row, index) => lacks(row, shown[index]))
      ? ["other fields of each row: pass full, or fields with their names"]
      : [])
  ]
  return { data: shown, ...rest, ...(leftOut.length === 0 ? {} : { leftOut: leftOut.join("; ") }) }
}
