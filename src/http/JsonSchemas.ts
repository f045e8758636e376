/** JSON Schemas as people read them: without the notes that the generator writes for its own refinements. */
import { Predicate } from "effect"

/** `maxLength(120)` and "a string at most 120 character(s) long" only repeat what `maxLength` says. */
const generated: Readonly<Record<string, RegExp>> = {
  title: /^[A-Za-z]+(?:\(.*\))?$/s,
  description: /^(?:a|an) (?:string|number|integer|non-empty|positive|array|finite|non-negative)\b/i
}

const isNoise = (name: string, value: unknown, parent: Readonly<Record<string, unknown>>) =>
  typeof value === "string" && "type" in parent && (generated[name]?.test(value) ?? false)

/** A copy without them, however deep they are. A property that happens to be named `title` is a schema, no text, and stays. */
export const tidy = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(tidy)
  if (!Predicate.isRecord(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).filter(([name, value]) => !isNoise(name, value, schema)).map(([name, value]) => [name, tidy(value)])
  )
}
