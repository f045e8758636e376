/** Reads lists and records of the API for searches and choices. A failure counts as no result. */

export type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A record; null if it is gone. */
export const recordAt = async (path: string): Promise<Row | null> => {
  const response = await fetch(`/api/v1${path}`).catch(() => null)
  if (response === null || !response.ok) return null
  const answer: unknown = await response.json()
  return isRow(answer) ? answer : null
}

const rowsAt = async (path: string): Promise<ReadonlyArray<Row>> => {
  const data = (await recordAt(path))?.["data"]
  return Array.isArray(data) ? data.filter(isRow) : []
}

/** Monitors whose name or address has a text; the first of all for an empty one. */
export const monitorsLike = (text: string): Promise<ReadonlyArray<Row>> =>
  rowsAt(`/monitors?limit=8${text === "" ? "" : `&search=${encodeURIComponent(text)}`}`)
