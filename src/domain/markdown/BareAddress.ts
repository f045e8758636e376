/** Finds the end of a web address that stands in a text without markup. */
import { parsedUrl } from "../../../schema/UrlText.ts"

/** Longer addresses are cut, which bounds the work for a text that is none. */
const address = /https?:\/\/[^\s<>"'`]{1,2000}/iy
/** Punctuation after an address. */
const endings = new Set(".,;:!?*_~|…。、，")
const opening = new Map([[")", "("], ["]", "["]])

/** Without what belongs to the sentence around: punctuation, and a bracket that was opened before the address. */
const trimmed = (found: string): string => {
  let length = found.length
  for (; length > 0; length--) {
    const last = found.charAt(length - 1)
    const opener = opening.get(last)
    if (!endings.has(last) && (opener === undefined || found.slice(0, length).includes(opener))) break
  }
  return found.slice(0, length)
}

/** The address that begins at a position of a text; null if none does. */
export const addressAt = (text: string, at: number): string | null => {
  address.lastIndex = at
  const url = trimmed(address.exec(text)?.[0] ?? "")
  return parsedUrl(url) === null ? null : url
}
