/** Reads lists and records of the API for choices, and searches for a text while it is typed. A failure counts as no result. */
import { useEffect, useRef, useState } from "preact/hooks"
import { callApi } from "./Dom.ts"

export type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A record; null if it is gone, undefined if it cannot be read. */
export const recordAt = async (path: string): Promise<Row | null | undefined> => {
  const asked = callApi(path)
    .then((response): unknown => response.ok ? response.json() : response.status === 404 ? null : undefined)
  const answer = await asked.catch(() => undefined)
  return isRow(answer) || answer === null ? answer : undefined
}

const rowsAt = async (path: string): Promise<ReadonlyArray<Row>> => {
  const data = (await recordAt(path))?.["data"]
  return Array.isArray(data) ? data.filter(isRow) : []
}

/** Monitors whose name or address has a text; the first of all for an empty one. */
export const monitorsLike = (text: string): Promise<ReadonlyArray<Row>> =>
  rowsAt(`/monitors?limit=8${text === "" ? "" : `&search=${encodeURIComponent(text)}`}`)

/** The shortest text to search. */
const shortest = 2

/**
 * The search must be the same function each time. Null finds nothing, and `whenEmpty` says whether an empty text is searched for,
 * which finds the first of all.
 */
export const useFound = <Found>(
  typed: string | null,
  search: (text: string) => Promise<ReadonlyArray<Found>>,
  whenEmpty = false
): ReadonlyArray<Found> => {
  const [found, setFound] = useState<ReadonlyArray<Found>>([])
  const last = useRef<string | null>(null)
  useEffect(() => {
    last.current = typed
    if (typed === null || (typed.trim().length < shortest && !(whenEmpty && typed.trim() === ""))) return setFound([])
    const timer = setTimeout(() => {
      void search(typed.trim()).then((rows) => {
        if (last.current === typed) setFound(rows)
      })
    }, 150)
    return () => clearTimeout(timer)
  }, [typed, search, whenEmpty])
  return found
}
