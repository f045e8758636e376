/** A small JSON path language: `data.items[0].id`, `["a key"]`, with an optional leading `$`. */
import { Either, Option } from "effect"

/** Member names and item indexes, starting at the root. */
export type JsonPath = ReadonlyArray<string | number>

/** One step: `.name` (the first needs no dot), `[0]`, `["key"]` or `['key']`. */
const step = /\.?([^.[\]"'\s][^.[\]]*)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|\['([^']*)'\]/y

const unquote = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The steps of a path; the left side says where it is invalid. */
export const parseJsonPath = (text: string): Either.Either<JsonPath, string> => {
  const source = text.trim().replace(/^\$\.?/, "")
  const path: Array<string | number> = []
  step.lastIndex = 0
  while (step.lastIndex < source.length) {
    const at = step.lastIndex
    const match = step.exec(source)
    const [, name, index, quoted, single] = match ?? []
    // A name after another step needs a dot: `[0]name` is invalid.
    if (match === null || (name !== undefined && at > 0 && source[at] !== ".") || (at === 0 && source[at] === ".")) {
      return Either.left(`Invalid JSON path "${text}" at "${source.slice(at, at + 20)}"`)
    }
    if (name !== undefined) path.push(name)
    else if (index !== undefined) path.push(Number(index))
    else path.push(single ?? String(Option.getOrElse(unquote(quoted ?? ""), () => quoted)))
  }
  return Either.right(path)
}

/** The value at the path; none if a member or item is missing. Ignores inherited properties. */
export const readJsonPath = (path: JsonPath, root: unknown): Option.Option<unknown> => {
  let value = root
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return Option.none()
    value = Reflect.get(value, key)
  }
  return Option.some(value)
}
