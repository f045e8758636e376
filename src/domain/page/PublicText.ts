/** Keeps what a page does not show out of the texts that monitors write about themselves. */

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The text with `shownAs`, which visitors know, in place of the `hidden` texts, which they must not see. Ignores case. */
export const conceal = (text: string, hidden: ReadonlyArray<string>, shownAs: string): string => {
  const needles = [...new Set(hidden)]
    .filter((needle) => needle.trim() !== "")
    .sort((a, b) => b.length - a.length)
    .map(literal)
  if (needles.length === 0) return text
  // Whole words, so that a monitor called "API" leaves "rapid" alone; and a list of several becomes one mention.
  const edge = "[\\p{L}\\p{N}_]"
  const known = [...needles, literal(shownAs)].sort((a, b) => b.length - a.length).join("|")
  const one = `(?<!${edge})(?:${known})(?!${edge})`
  return text.replace(new RegExp(`${one}(?:, ${one})*`, "giu"), () => shownAs)
}
