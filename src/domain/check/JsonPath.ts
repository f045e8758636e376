/** A small JSON path: `data.items[0].id`, `["a key"]`, with an optional leading `$`. */
import { Either, Option } from "effect"

/** Names of members and indexes of items, from the root. */
export type JsonPath = ReadonlyArray<string | number>

/** One step: `.name` (the first needs no dot), `[0]`, `["key"]` or `['key']`. */
const step = /\.?([^.[\]"'\s][^.[\]]*)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\]|\['([^']*)'\]/y

const unquote = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The steps of a path, or on the left where it cannot be read. */
export const parseJsonPath = (text: string): Either.Either<JsonPath, string> => {
  const source = text.trim().replace(/^\$\.?/, "")
  const path: Array<string | number> = []
  step.lastIndex = 0
  while (step.lastIndex < source.length) {
    const at = step.lastIndex
    const match = step.exec(source)
    const [, name, index, quoted, single] = match ?? []
    // Two names need a dot between them: `[0]name` is a slip.
    if (match === null || (name !== undefined && at > 0 && source[at] !== ".") || (at === 0 && source[at] === ".")) {
      return Either.left(`Cannot read the JSON path "${text}" from "${source.slice(at, at + 20)}" on`)
    }
    if (name !== undefined) path.push(name)
    else if (index !== undefined) path.push(Number(index))
    else path.push(single ?? String(Option.getOrElse(unquote(quoted ?? ""), () => quoted)))
  }
  return Either.right(path)
}

/** What lies at the path; none where a member or item is missing. Never looks at inherited properties. */
export const readJsonPath = (path: JsonPath, root: unknown): Option.Option<unknown> => {
  let value = root
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return Option.none()
    value = Reflect.get(value, key)
  }
  return Option.some(value)
}
