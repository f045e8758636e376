/** Finds members of a JSON object whose text is cut or too large to be parsed. */
import { Option, Predicate } from "effect"
import { backslash, closing, comma, opening, quote, withoutKind } from "./BoundedJson.ts"

/** Characters that one step looks through: about 2 ms. */
const perStep = 256 * 1024

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The members at the top level whose name, in any case of letters, is one of `names` (plain words). Stops where the text does. */
export function* jsonMembers(
  text: string,
  names: ReadonlyArray<string>
): Generator<void, ReadonlyArray<readonly [name: string, value: unknown]>> {
  const named = new RegExp(`\\s*"(?:${names.join("|")})"\\s*:`, "iy")
  const found: Array<readonly [string, unknown]> = []
  const take = (member: string) => {
    const value = Option.getOrNull(parse(`{${member}}`))
    if (Predicate.isRecord(value)) found.push(...Object.entries(value))
  }
  let from = 0
  let inString = false
  let depth = 0
  for (let at = 0, paused = 0; at < text.length; at++) {
    if (at - paused >= perStep) {
      paused = at
      yield
    }
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    else if ((code & withoutKind) === opening) {
      if (depth++ === 0) from = at + 1
    } else if (depth === 1 && (code === comma || (code & withoutKind) === closing)) {
      named.lastIndex = from
      if (named.test(text)) take(text.slice(from, at))
      from = at + 1
      if (code !== comma) depth--
    } else if ((code & withoutKind) === closing) depth--
  }
  return found
}
