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

/** The former values of some fields of a row. */
export interface Former {
  readonly values: Given
  readonly rows: ReadonlyArray<BulkRow>
}

/** The rows with the values that they have in the fields; rows with the same values are together. */
export const byFormer = (names: ReadonlyArray<string>, rows: ReadonlyArray<BulkRow>): ReadonlyArray<Former> => {
  const found = new Map<string, { readonly values: Given; readonly rows: Array<BulkRow> }>()
  for (const row of rows) {
    const values = Object.fromEntries(names.flatMap((name) => {
      const value = row[name]
      return value === undefined ? [] : [[name, value] as const]
    }))
    const key = JSON.stringify(values)
    const group = found.get(key) ?? { values, rows: [] }
    group.rows.push(row)
    found.set(key, group)
  }
  return [...found.values()]
}

/** Rows that a form changed, to be given back the values that they have here. */
export interface Restore {
  readonly operation: string
  readonly fields: ReadonlyArray<string>
  readonly rows: ReadonlyArray<BulkRow>
}

/** The rows' values before a change of the fields; null unless every row has every field. */
export const restoreOf = (operation: string, fields: ReadonlyArray<string>, rows: ReadonlyArray<BulkRow>): Restore | null => {
  const isComplete = fields.length > 0 && rows.length > 0 && rows.every((row) => fields.every((name) => row[name] !== undefined))
  return isComplete ? { operation, fields, rows } : null
}
