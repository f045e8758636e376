/** Searches for a text while it is typed, a moment after the last key. */
import { useEffect, useRef, useState } from "preact/hooks"

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
