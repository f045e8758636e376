/** Parts of a document that are rendered separately, in steps of their own, and then inserted. */
import { randomBytes } from "node:crypto"

/** Begins a placeholder. It is random, so no text of a page contains it. */
const mark = `apart ${randomBytes(12).toString("base64url")} `

/** A placeholder for a part, which `withParts` inserts. Its words are short: long ones are marked up (TextMarkup.ts). */
export const placeholderOf = (id: string): string => `${mark}${id.replace(/.{16}/g, "$& ")}\n`

/** The pieces of a document's HTML, with the parts inserted. */
export const withParts = (html: string, parts: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const [start = "", ...pieces] = html.split(mark)
  return [
    start,
    ...pieces.flatMap((piece) => {
      const end = piece.indexOf("\n")
      return [parts.get(piece.slice(0, end).replaceAll(" ", "")) ?? "", piece.slice(end + 1)]
    })
  ]
}
