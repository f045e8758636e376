/** A statement with its values, and the rows that answer it. */
export type Rows = ReadonlyArray<unknown>

export interface Step {
  readonly text: string
  readonly values: Rows
}
