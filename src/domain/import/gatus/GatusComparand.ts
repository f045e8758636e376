/** The value that a condition of Gatus compares with: a value, `any(...)` or `pat(...)`. */

export type Operator = "==" | "!=" | "<=" | ">=" | ">" | "<"

export type Comparand =
  | { readonly kind: "value"; readonly text: string }
  | { readonly kind: "any"; readonly options: ReadonlyArray<string> }
  /** `part` is the text in `pat(*text*)`; null for other patterns. */
  | { readonly kind: "pattern"; readonly glob: string; readonly part: string | null }

export const comparandOf = (text: string): Comparand => {
  const [, call, inner = ""] = /^(any|pat)\((.*)\)$/s.exec(text) ?? []
  if (call === "any") return { kind: "any", options: inner.split(",").map((option) => option.trim()) }
  if (call === "pat") return { kind: "pattern", glob: inner, part: /^\*([^*?[\]\\]+)\*$/.exec(inner)?.[1] ?? null }
  return { kind: "value", text }
}

/** The values that are meant one by one. */
export const anyOf = (comparand: Comparand): ReadonlyArray<string> =>
  comparand.kind === "any" ? comparand.options : comparand.kind === "value" ? [comparand.text] : []

/** Only whole numbers that JavaScript writes alike are numbers: a version such as 1.1 is not that of 1.10. */
export const literal = (text: string): string | number | boolean =>
  text === "true" || text === "false"
    ? text === "true"
    : /^-?\d+$/.test(text) && String(Number(text)) === text
    ? Number(text)
    : text.replace(/^(["'])(.*)\1$/s, "$2")

const escaped = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")

const wild: Readonly<Record<string, string>> = { "*": ".*", "?": "." }

/** A pattern of Go's path/filepath. */
const regexOf = (glob: string): string => {
  let regex = ""
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at] ?? ""
    const classEnd = character === "[" ? glob.indexOf("]", at + 2) : -1
    if (classEnd !== -1) {
      regex += glob.slice(at, classEnd + 1)
      at = classEnd
    } else if (character === "\\") regex += escaped(glob[++at] ?? "")
    else regex += wild[character] ?? escaped(character)
  }
  return regex
}

/** The regular expression of texts that equal it, whatever space is around them. */
export const patternOf = (comparand: Exclude<Comparand, { readonly kind: "value" }>): string =>
  comparand.kind === "pattern"
    ? comparand.part === null ? `(?s)^\\s*${regexOf(comparand.glob)}\\s*$` : escaped(comparand.part)
    : `^\\s*(?:${comparand.options.map((option) => escaped(String(literal(option)))).join("|")})\\s*$`
