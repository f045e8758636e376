/** Trims texts: a character from their end, or what exceeds a length. */

/** Takes linear time; a pattern such as /-+$/ backtracks at every run in the text. */
export const withoutTrailing = (text: string, character: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Cuts a text to a length in UTF-16 units, without leaving half a character. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`

/** Escaping makes a text longer, so it is cut first to a length that stays within the limit. */
export const cutEscaped = (text: string, max: number, escape: (text: string) => string): string => {
  let escaped = escape(text)
  for (let length = max; escaped.length > max; length -= escaped.length - max) escaped = escape(cut(text, Math.max(length, 1)))
  return escaped
}
