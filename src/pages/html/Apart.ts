/** Parts of a document that are rendered apart, in steps of their own, and then put in their places. */
import { randomUUID } from "node:crypto"

/** Begins a place. Nobody can guess it, so no text of a page contains it. */
const mark = `apart ${randomUUID()} `

/** Stands for a part until `withParts` puts it there. An id contains no space. */
export const placeOf = (id: string): string => `${mark}${id} `

/** The pieces of a document's HTML, with the parts in their places. */
export const withParts = (html: string, parts: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const [start = "", ...pieces] = html.split(mark)
  return [
    start,
    ...pieces.flatMap((piece) => {
      const end = piece.indexOf(" ")
      return [parts.get(piece.slice(0, end)) ?? "", piece.slice(end + 1)]
    })
  ]
}
