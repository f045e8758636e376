/** Describes fields that their schemas leave to the name, because the tools of MCP derive from these and pay for each word. */
import { Predicate } from "effect"
import { words } from "./Words.ts"

type JsonObject = Readonly<Record<string, unknown>>

/** The noun of a schema: `Monitor` for `MonitorInput`, `ListedMonitor`, the answer of `create_monitor` and so on. */
export const nounOf = (schema: string): string =>
  schema.replace(/^create_([a-z])(?=[a-z]+$)/, (_, first: string) => first.toUpperCase()).replace(
    /^(?:Public|Event|Listed|Created)(?=[A-Z])|(?:Input|Update|Detail|Summary|WithSecret)$/g,
    ""
  )

/** Descriptions that the input of a noun already has, by field. */
export type InputWords = (noun: string, field: string) => string | undefined

/** The description of the field at `path` of a schema: its own, that of its noun, that of the noun's input, then that of its name. */
export const wordsOf = (schema: string, path: ReadonlyArray<string>, inputWords: InputWords): string | undefined => {
  const full = path.join(".")
  const noun = nounOf(schema)
  const own = words[`${schema}.${full}`] ?? words[`${noun}.${full}`]
  if (own !== undefined) return own
  const suffixes = path.map((_, index) => path.slice(index).join("."))
  return [...suffixes.map((suffix) => inputWords(noun, suffix)), ...suffixes.map((suffix) => words[suffix])]
    .find((found) => found !== undefined)
}

type Describe = (path: ReadonlyArray<string>) => string | undefined

const describedFields = (properties: JsonObject, describe: Describe, path: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const fieldPath = [...path, name]
      if (!Predicate.isRecord(field)) return [name, field]
      const inner = withDescriptions(field, describe, fieldPath)
      const description = "description" in field ? undefined : describe(fieldPath)
      return [name, description === undefined ? inner : { ...inner, description }]
    })
  )

/** Adds descriptions to every field of a schema that lacks one, at any depth. */
export const withDescriptions = (schema: JsonObject, describe: Describe, path: ReadonlyArray<string> = []): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "properties" && Predicate.isRecord(value)) return [keyword, describedFields(value, describe, path)]
      if (["anyOf", "oneOf", "allOf"].includes(keyword) && Array.isArray(value)) {
        return [keyword, value.map((one: unknown) => (Predicate.isRecord(one) ? withDescriptions(one, describe, path) : one))]
      }
      const isNested = (keyword === "items" || keyword === "additionalProperties") && Predicate.isRecord(value)
      return [keyword, isNested ? withDescriptions(value, describe, path) : value]
    })
  )
