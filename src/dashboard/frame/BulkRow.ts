/** The rows of a table that a form changes together, and what restores them afterwards. */
import { Option, Schema } from "effect"
import type { Json } from "./FormBody.ts"

/** A row: its id, its name, and the fields of its record that the buttons of the table change, as they are before. */
const RowText = Schema.parseJson(
  Schema.Struct(
    { id: Schema.String, name: Schema.String },
    Schema.Record({
      key: Schema.String,
      value: Schema.Union(Schema.String, Schema.Boolean, Schema.Number, Schema.Array(Schema.String))
    })
  )
)
export type BulkRow = typeof RowText.Type

/** The rows that a form sends, without repetitions. */
export const rowsOf = (texts: ReadonlyArray<string>): ReadonlyArray<BulkRow> => {
  const rows = texts.flatMap((text) => Option.toArray(Schema.decodeOption(RowText)(text)))
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

export type Given = Readonly<Record<string, Json>>

/** The arguments for all rows, added to the row's own lists: a tag is added to its tags. */
export const extended = (given: Given, row: BulkRow): Given =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const before = row[name]
      return [name, Array.isArray(value) && Array.isArray(before) ? [...new Set([...before, ...value])] : value]
    })
  )

/** The row's own lists without the given values: a tag is removed from its tags. */
export const reduced = (given: Given, row: BulkRow): Given =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const before = row[name]
      return [name, Array.isArray(value) && Array.isArray(before) ? before.filter((one) => !value.includes(one)) : value]
    })
  )

export const ownFields = (names: ReadonlyArray<string>, row: BulkRow): Given =>
  Object.fromEntries(names.flatMap((name) => {
    const value = row[name]
    return value === undefined ? [] : [[name, value] as const]
  }))

/** Rows that a form changed, to be given back the values that they have here. */
export interface Restore {
  readonly operation: string
  readonly fields: ReadonlyArray<string>
  readonly rows: ReadonlyArray<BulkRow>
}

/** The rows' values before a change; null unless every row has every changed field. */
export const restoreOf = (operation: string, given: Given, rows: ReadonlyArray<BulkRow>): Restore | null => {
  const fields = Object.keys(given)
  const isTold = fields.length > 0 && rows.length > 0 && rows.every((row) => fields.every((name) => row[name] !== undefined))
  return isTold ? { operation, fields, rows } : null
}
