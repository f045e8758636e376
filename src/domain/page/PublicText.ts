/** Removes confidential names and addresses from automatic texts on public pages. */

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Replaces the `hidden` texts with `shownAs`, the name that visitors know. Ignores case. */
export const conceal = (text: string, hidden: ReadonlyArray<string>, shownAs: string): string => {
  const needles = [...new Set(hidden)]
    .filter((needle) => needle.trim() !== "")
    .sort((a, b) => b.length - a.length)
    .map(literal)
  if (needles.length === 0) return text
  // Matches whole words only, so a monitor called "API" does not change "rapid". A list of several becomes one mention.
  const edge = "[\\p{L}\\p{N}_]"
  const known = [...needles, literal(shownAs)].sort((a, b) => b.length - a.length).join("|")
  const one = `(?<!${edge})(?:${known})(?!${edge})`
  return text.replace(new RegExp(`${one}(?:, ${one})*`, "giu"), () => shownAs)
}
