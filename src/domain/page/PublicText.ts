/** Keeps what a page does not show out of the texts that monitors write about themselves. */

export interface Concealed {
  /** Of the monitor, and of components that other pages show. */
  readonly names: ReadonlyArray<string>
  readonly url: string | null
}

/** The spellings of a monitor's address in texts. */
const addresses = (url: string | null): ReadonlyArray<string> => {
  if (url === null || !URL.canParse(url)) return []
  const { host, hostname, href } = new URL(url)
  return [url, href, href.replace(/\/$/, ""), host, hostname]
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The text with `shownAs`, what visitors know, in place of what they do not; the case of letters does not matter. */
export const conceal = (text: string, { names, url }: Concealed, shownAs: string): string => {
  const needles = [...new Set([...addresses(url), ...names])]
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
