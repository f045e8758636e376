/** Words that may have to break: addresses, ids, and names without spaces. */

/** Longer than nearly all words of the pages' languages. Scripts that are written without spaces break by themselves. */
const longWord = /([^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{21,})/u

/** Parts of an address or an id, which breaks between them before it breaks anywhere else. */
const parts = /[^@./:?&=_-]+[@./:?&=_-]*|[@./:?&=_-]+/g

export const hasLongWord = (text: string): boolean => text.length > 20 && longWord.test(text)

/** The text in pieces, of which each second one is a long word. */
export const splitAtLongWords = (text: string): ReadonlyArray<string> => text.split(longWord)

export const partsOfWord = (word: string): ReadonlyArray<string> => word.match(parts) ?? []
