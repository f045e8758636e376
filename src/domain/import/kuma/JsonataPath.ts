/** The part of JSONata that JSON paths can say: names, indexes, wildcards, and filters that compare with constants. */
import { Option } from "effect"

const token =
  /\s*(?:(\*\*|\*|\[\[|\]\]|\.\.|!=|<=|>=|[.[\](),=<>])|`([^`]*)`|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?\d+(?:\.\d+)?)|(\$\$|\$?[\p{L}_][\p{L}\p{N}_-]*|\$))/uy

interface Token {
  readonly kind: "sign" | "name" | "text" | "number"
  readonly text: string
}

const unquoted = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const textIn = (quoted: string): string => {
  const inner = quoted.slice(1, -1)
  return quoted.startsWith("\"") ? String(Option.getOrElse(unquoted(quoted), () => inner)) : inner
}

/** Null if the text has anything else. */
const tokensOf = (text: string): Array<Token> | null => {
  const tokens: Array<Token> = []
  const source = text.trim()
  token.lastIndex = 0
  while (token.lastIndex < source.length) {
    const [match, sign, quotedName, quoted, number, name] = token.exec(source) ?? []
    if (match === undefined) return null
    if (sign !== undefined) tokens.push({ kind: "sign", text: sign })
    else if (quoted !== undefined) tokens.push({ kind: "text", text: textIn(quoted) })
    else if (number !== undefined) tokens.push({ kind: "number", text: number })
    else tokens.push({ kind: "name", text: quotedName ?? name ?? "" })
  }
  return tokens
}

/** Reads tokens one after the other. */
interface Reader {
  readonly tokens: ReadonlyArray<Token>
  at: number
  /** The query takes the first or the last of several values: a JSON path has no such step. */
  takesOne: boolean
}

const isSign = (reader: Reader, text: string): boolean => {
  const next = reader.tokens[reader.at]
  return next?.kind === "sign" && next.text === text
}

const takeSign = (reader: Reader, text: string): boolean => {
  const found = isSign(reader, text)
  if (found) reader.at++
  return found
}

const take = (reader: Reader, kind: Token["kind"]): string | null => {
  const next = reader.tokens[reader.at]
  if (next?.kind !== kind) return null
  reader.at++
  return next.text
}

const takeInteger = (reader: Reader): number | null => {
  const number = take(reader, "number")
  return number === null || number.includes(".") ? null : Number(number)
}

const memberStep = (name: string): string => (/^[A-Z_a-z]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)

const comparisons: Readonly<Record<string, string>> = { "=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=" }

const constants: ReadonlyArray<string> = ["true", "false", "null"]

const takeConstant = (reader: Reader): Constant | null => {
  const text = take(reader, "text")
  if (text !== null) return { text, json: JSON.stringify(text) }
  const next = reader.tokens[reader.at]
  const isName = next?.kind === "name" && constants.includes(next.text)
  const plain = isName ? take(reader, "name") : take(reader, "number")
  return plain === null ? null : { text: plain, json: plain }
}

interface Constant {
  readonly text: string
  readonly json: string
}

export interface Compared {
  /** A JSON path that begins with `$` or `@`. */
  readonly path: string
  readonly operator: string
  readonly constant: Constant
}

const takeComparison = (reader: Reader, root: "$" | "@"): Compared | null => {
  const path = takePath(reader, root)
  const operator = comparisons[take(reader, "sign") ?? ""]
  const constant = takeConstant(reader)
  return path === null || operator === undefined || constant === null ? null : { path, operator, constant }
}

/** Comparisons with `and` and `or`, of which `and` binds closer in both languages. */
const takeFilter = (reader: Reader): string | null => {
  let filter = ""
  for (;;) {
    const compared = takeComparison(reader, "@")
    if (compared === null) return null
    filter += `${compared.path} ${compared.operator} ${compared.constant.json}`
    if (isSign(reader, "]")) return filter
    const joint = take(reader, "name")
    if (joint !== "and" && joint !== "or") return null
    filter += joint === "and" ? " && " : " || "
  }
}

/** After an opening bracket: an index or a filter. An index after several values is of them all. */
const takePredicate = (reader: Reader, areSeveral: boolean): string | null => {
  const index = takeInteger(reader)
  if (index === null) {
    const filter = takeFilter(reader)
    return filter === null || !takeSign(reader, "]") ? null : `[?${filter}]`
  }
  if (!takeSign(reader, "]")) return null
  if (!areSeveral) return `[${index}]`
  reader.takesOne = true
  return index === 0 || index === -1 ? "" : null
}

/** After `[[`: the indexes from one to another, `0..2`. */
const takeRange = (reader: Reader): string | null => {
  const from = takeInteger(reader)
  const isRange = takeSign(reader, "..")
  const to = takeInteger(reader)
  if (from === null || !isRange || to === null || !takeSign(reader, "]]")) return null
  return `[${from}:${to === -1 ? "" : to + 1}]`
}

const takeStep = (reader: Reader): string | null => {
  if (takeSign(reader, "**")) {
    if (!takeSign(reader, ".")) return "..*"
    const below = takeStep(reader)
    return below === null ? null : `.${below.startsWith(".") ? "" : "."}${below}`
  }
  if (takeSign(reader, "*")) return ".*"
  const name = take(reader, "name") ?? take(reader, "text")
  return name === null || /^\$/.test(name) ? null : memberStep(name)
}

const takePath = (reader: Reader, root: "$" | "@"): string | null => {
  const first = reader.tokens[reader.at]
  const isRoot = first?.kind === "name" && (first.text === "$" || first.text === "$$")
  let path: string = isRoot && first.text === "$$" ? "$" : root
  if (isRoot) reader.at++
  let wantsStep = !isRoot || takeSign(reader, ".")
  for (;;) {
    const isBracket = isSign(reader, "[") || isSign(reader, "[[")
    if (!wantsStep && !isBracket) return path
    const step = wantsStep
      ? takeStep(reader)
      : takeSign(reader, "[")
      ? takePredicate(reader, /[?:*]|\.\./.test(path))
      : takeSign(reader, "[[")
      ? takeRange(reader)
      : null
    if (step === null) return null
    path += step
    wantsStep = takeSign(reader, ".")
  }
}

/** A query: a path, a function of one, or comparisons of which all must be true. */
export type JsonataQuery =
  & { readonly takesOne: boolean }
  & ({ readonly call: string | null; readonly path: string } | { readonly all: ReadonlyArray<Compared> })

const takeAll = (reader: Reader): ReadonlyArray<Compared> | null => {
  const all: Array<Compared> = []
  for (;;) {
    const compared = takeComparison(reader, "$")
    if (compared === null) return null
    all.push(compared)
    if (reader.at === reader.tokens.length) return all
    if (take(reader, "name") !== "and") return null
  }
}

/** Null if JSON paths cannot say it. */
export const readJsonata = (text: string): JsonataQuery | null => {
  const tokens = tokensOf(text)
  if (tokens === null) return null
  const reader: Reader = { tokens, at: 0, takesOne: false }
  const [first, second] = tokens
  if (first?.kind === "name" && /^\$\w/.test(first.text) && second?.text === "(") {
    reader.at = 2
    const path = takePath(reader, "$")
    return path !== null && takeSign(reader, ")") && reader.at === tokens.length
      ? { takesOne: reader.takesOne, call: first.text, path }
      : null
  }
  const path = takePath(reader, "$")
  if (path !== null && reader.at === tokens.length) return { takesOne: reader.takesOne, call: null, path }
  const again: Reader = { tokens, at: 0, takesOne: false }
  const all = takeAll(again)
  return all === null ? null : { takesOne: again.takesOne, all }
}
