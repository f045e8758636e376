/** JSON with the members of objects in the order of their names, so that equal values have equal texts. */
import { Predicate } from "effect"

export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  // Times and the like have a JSON of their own.
  if (!Predicate.isRecord(value) || Predicate.isFunction(value["toJSON"])) return JSON.stringify(value) ?? "null"
  const names = Object.keys(value).filter((name) => value[name] !== undefined).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(",")}}`
}
