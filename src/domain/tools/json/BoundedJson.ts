/** Parses JSON from strangers: the number of its entries and its depth are counted in the text before anything is built from it. */
import { Either, Option } from "effect"

/** Limits of a caller's JSON: members of objects and items of arrays, together, and levels of nesting. */
export interface JsonLimits {
  readonly entries: number
  readonly depth: number
}

/** For a body of at most 1 MiB. No input of the interface has a tenth of it. */
export const requestLimits: JsonLimits = { entries: 10_000, depth: 64 }

export type JsonRefusal = "invalid" | "too many entries" | "too deep"

export const quote = 34
export const backslash = 92
export const comma = 44
/** { and [ differ by one bit of their codes, as } and ] do: without it they are these. */
export const opening = 0x5b
export const closing = 0x5d
export const withoutKind = 0xdf
const zero = 48
const nine = 57

/** The most entries and depth that a JSON text can have, in one pass. An invalid text is counted alike, and left to the parser. */
export const jsonSize = (text: string): JsonLimits => {
  let inString = false
  let depth = 0
  let deepest = 0
  let entries = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if (code === comma) entries++
    else if ((code & withoutKind) === opening) {
      entries++
      depth++
      if (depth > deepest) deepest = depth
    } else if ((code & withoutKind) === closing) depth--
  }
  return { entries, depth: deepest }
}

const number = /-?\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?/y

/** Whether JavaScript would round the integer. */
export const isRounded = (integer: string): boolean => /^-?\d{16,}$/.test(integer) && String(Number(integer)) !== integer

/** Valid JSON with quotes around the integers that JSON.parse would round. */
const withWholeIntegers = (text: string): string => {
  let inString = false
  let copied = 0
  let quoted = ""
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString && code === backslash) at++
    else if (code === quote) inString = !inString
    else if (!inString && code >= zero && code <= nine) {
      number.lastIndex = text[at - 1] === "-" ? at - 1 : at
      const [integer = ""] = number.exec(text) ?? []
      const start = number.lastIndex - integer.length
      at = number.lastIndex - 1
      if (!isRounded(integer)) continue
      quoted += `${text.slice(copied, start)}"${integer}"`
      copied = at + 1
    }
  }
  return quoted + text.slice(copied)
}

/** Like JSON.parse, but an integer that it would round is the text of its digits: what takes both keeps it. */
export const parseJson = Option.liftThrowable((text: string): unknown => {
  const parsed: unknown = JSON.parse(text)
  return /\d{16}/.test(text) ? JSON.parse(withWholeIntegers(text)) : parsed
})

export const parseBoundedJson = (text: string, limits: JsonLimits = requestLimits): Either.Either<unknown, JsonRefusal> => {
  const { depth, entries } = jsonSize(text)
  if (entries > limits.entries) return Either.left("too many entries")
  if (depth > limits.depth) return Either.left("too deep")
  return Either.fromOption(parseJson(text), () => "invalid" as const)
}
