/** Removes confidential names and addresses from automatic texts on public pages. */

/** The names that visitors of a page know. */
interface KnownNames {
  readonly each: ReadonlyArray<string>
  /** Replaces hidden names: the names of all, or another name that visitors know. */
  readonly all: string
  readonly join: (names: ReadonlyArray<string>) => string
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const longestFirst = (texts: Iterable<string>): ReadonlyArray<string> =>
  [...new Set(texts)].filter((text) => text.trim() !== "").sort((a, b) => b.length - a.length)

/**
 * Returns a function that replaces `hidden` texts, in any case of letters: in a list of names by those that visitors know, else
 * by all.
 */
export const concealing = (hidden: ReadonlyArray<string>, known: KnownNames): (text: string) => string => {
  const needles = longestFirst(hidden)
  if (needles.length === 0) return (text) => text
  const kept = new Set([...known.each, known.all].map((name) => name.toLowerCase()))
  // Matches whole words only, so a monitor called "API" does not change "rapid".
  const edge = "[\\p{L}\\p{N}_]"
  const one = `(?<!${edge})(?:${longestFirst([...needles, ...known.each, known.all]).map(literal).join("|")})(?!${edge})`
  const list = new RegExp(`${one}(?:, ${one})*`, "giu")
  const name = new RegExp(one, "giu")
  return (text) =>
    text.replace(list, (found) => {
      const names = found.match(name) ?? []
      const shown = names.filter((each) => kept.has(each.toLowerCase()))
      if (shown.length === names.length) return found
      return shown.length === 0 ? known.all : known.join([...new Set(shown)])
    })
}

/** The names in a list that the service wrote; a name may contain what separates them. */
const itemsOf = (list: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const items: Array<string> = []
  for (let rest = list; rest !== "";) {
    const item = names.find((name) => rest === name || rest.startsWith(`${name}, `)) ?? rest.split(", ", 1).join()
    if (item !== "") items.push(item)
    rest = rest.slice(item.length + 2)
  }
  return items
}

/** Returns a function that keeps of a list of the service the names that are not hidden; null if all are. */
export const keeping = (hidden: ReadonlyArray<string>, known: KnownNames): (list: string) => string | null => {
  const names = longestFirst([...known.each, ...hidden])
  const conceals = new Set(hidden.filter((name) => !known.each.includes(name)))
  const concealed = concealing(hidden, known)
  return (list) => {
    const shown = itemsOf(list, names).filter((item) => !conceals.has(item))
    return shown.length === 0 ? null : known.join([...new Set(shown.map(concealed))])
  }
}
