/**
 * JSON paths as RFC 9535 defines them. The grammar is json-p3's. Evaluation is ours: numbers are exact, patterns take linear time,
 * and neither long lists nor deep documents overflow a stack.
 */
import { Either } from "effect"
import { JSONPathEnvironment, JSONPathError, type JSONPathQuery } from "json-p3"
import { cut } from "../../../tools/text/TrimText.ts"
import { type CompiledQuery, compileQuery } from "./JsonPathQuery.ts"

const grammar = new JSONPathEnvironment()

interface Misread {
  /** The fault. */
  readonly what: string
  /** The rest of the path, from where it is wrong. */
  readonly rest: string
}

const misreadOf = (text: string, error: unknown): Misread => {
  if (!(error instanceof JSONPathError)) return { what: String(error), rest: "" }
  const at = error.token?.index ?? 0
  // json-p3 quotes the position, and names the end of the text by how it found it.
  const what = error.message.replace(/ \('[^\n]*':\d+\)$/, "")
  const clear = /TOKEN_|backup/.test(what)
    ? "it ends too early"
    : what.replace("bald descendant segment", "a name, * or [ is missing")
  return { what: clear, rest: text.slice(at) }
}

const parse = (text: string): Either.Either<JSONPathQuery, Misread> =>
  Either.try({ try: () => grammar.compile(text), catch: (error) => misreadOf(text, error) })

/** A name after a dot that needs no quotes. */
const plainName = /^[A-Z_a-z\u0080-\uFFFF][\w\u0080-\uFFFF]*$/

/** One or two dots and a name, also one that RFC 9535 would quote, such as `content-type` or `2xx`. */
const looseName = /(\.\.?)([^.[\]"'\\?()*=<>!&|,\s]+(?: +[^.[\]"'\\?()*=<>!&|,\s]+)*)/y
const wildcard = /\.\.?\*|\s+|\.\.(?=\[)/y

/** Where the bracket at `from` closes; the length of the text if it does not. */
const bracketEnd = (text: string, from: number): number => {
  let depth = 0
  let quote = ""
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? ""
    if (quote !== "") {
      if (character === "\\") at++
      else if (character === quote) quote = ""
    } else if (character === "\"" || character === "'") quote = character
    else if (character === "[") depth++
    else if (character === "]" && --depth === 0) return at + 1
  }
  return text.length
}

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** A path as people write it, in the form of RFC 9535: from `$`, with quotes around the names that need them. */
const strictForm = (text: string): string => {
  const rest = text.replace(/^\$/, "")
  const source = rest === "" || /^[\s.[]/.test(rest) ? rest : `.${rest}`
  let strict = "$"
  for (let at = 0; at < source.length;) {
    const start = at
    if (source[at] === "[") at = bracketEnd(source, at)
    else at += (matchAt(looseName, source, at) ?? matchAt(wildcard, source, at))?.[0].length ?? source.length
    const step = source.slice(start, at)
    const [, dots, name] = matchAt(looseName, step, 0) ?? []
    strict += dots === undefined || name === undefined || plainName.test(name)
      ? step
      : `${dots === ".." ? ".." : ""}[${JSON.stringify(name)}]`
  }
  return strict
}

export type JsonPath = Omit<CompiledQuery, "problem">

/** Compiles a path. The `$` may be missing, and a name after a dot may be one that needs quotes. Left: what is wrong, and where. */
export const compileJsonPath = (text: string): Either.Either<JsonPath, string> => {
  const trimmed = text.trim()
  const loose = strictForm(trimmed)
  const invalid = ({ rest, what }: Misread): string => {
    const at = Math.max(0, trimmed.length - rest.length)
    const where = rest === "" ? "at its end" : `at "${cut(rest, 20)}" (character ${at + 1})`
    return `Invalid JSON path "${cut(trimmed, 100)}" ${where}: ${what}`
  }
  const strictly = Either.map(parse(trimmed), (query) => compileQuery(query, false))
  return strictly.pipe(
    Either.orElse((misread) =>
      Either.mapBoth(parse(loose), {
        onLeft: (other) => (trimmed.startsWith("$") ? misread : other),
        onRight: (query) => compileQuery(query, true)
      })
    ),
    Either.mapLeft(invalid),
    Either.filterOrLeft(
      ({ problem }) => problem === null,
      ({ problem }) => `Invalid JSON path "${cut(trimmed, 100)}": ${problem}`
    )
  )
}
