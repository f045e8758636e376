/** Trims a character from the end of a text in linear time; a pattern such as /-+$/ backtracks at every run in the text. */

export const withoutTrailing = (text: string, character: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
