/** Finds the web addresses in a text of a status page, which visitors want to click. */

/** A piece of a text; `url` is null for plain text. */
interface TextPart {
  readonly text: string
  readonly url: string | null
}

/** Longer addresses are cut, which bounds the work for a text that is none. */
const address = /https?:\/\/[^\s<>"'`]{1,2000}/gi
/** Punctuation after an address. */
const endings = new Set(".,;:!?*_…。、，")
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

/** The parts together are the text. */
export const linkParts = (text: string): ReadonlyArray<TextPart> => {
  const parts: Array<TextPart> = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(address)) {
    const url = trimmed(found)
    if (!URL.canParse(url)) continue
    if (index > from) parts.push({ text: text.slice(from, index), url: null })
    parts.push({ text: url, url })
    from = index + url.length
  }
  if (from < text.length) parts.push({ text: text.slice(from), url: null })
  return parts
}
