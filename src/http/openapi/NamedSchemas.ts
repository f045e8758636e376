/** The schemas of the document: named ones with descriptions and examples that fit together, and how a schema of an operation appears. */
import { Predicate } from "effect"
import { mapInSteps, type Steps } from "../../domain/tools/Steps.ts"
import type { Definitions } from "./Examples.ts"
import { type InputWords, withDescriptions, wordsOf } from "./FieldWords.ts"
import { tidy } from "./JsonSchemas.ts"
import { recordExamples } from "./RecordExamples.ts"

type JsonObject = Readonly<Record<string, unknown>>

const propertiesOf = (schema: unknown): JsonObject =>
  Predicate.isRecord(schema) && Predicate.isRecord(schema["properties"]) ? schema["properties"] : {}

/** Puts the example values of a record on its fields. */
const withValues = (schema: JsonObject, values: JsonObject): JsonObject =>
  "properties" in schema
    ? {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(propertiesOf(schema)).map(([name, field]) => [
          name,
          name in values && Predicate.isRecord(field) ? { ...field, examples: [values[name]] } : field
        ])
      )
    }
    : schema

export interface NamedSchemas {
  readonly definitions: Definitions
  /** A reference to the named schema with the same content; else the schema with descriptions for the fields of `scope`. */
  readonly shown: (schema: unknown, scope: string) => unknown
}

const perStep = 8

/** The schemas of the document from those that the generator named. */
export function* namedSchemas(generated: Definitions): Steps<NamedSchemas> {
  const tidied = yield* mapInSteps(Object.entries(generated), perStep, ([name, schema]) => [name, tidy(schema)] as const)
  yield
  const plain = Object.fromEntries(tidied)
  const names = new Map(yield* mapInSteps(tidied, perStep, ([name, schema]) => [JSON.stringify(schema), name] as const))
  yield
  const inputWords: InputWords = (noun, field) => {
    const found = propertiesOf(plain[`${noun}Input`])[field]
    return Predicate.isRecord(found) && Predicate.isString(found["description"]) ? found["description"] : undefined
  }
  const complete = (schema: unknown, name: string): unknown =>
    Predicate.isRecord(schema)
      ? withDescriptions(withValues(schema, recordExamples(name)), (path) => wordsOf(name, path, inputWords))
      : schema
  const completed = yield* mapInSteps(tidied, perStep, ([name, schema]) => [name, complete(schema, name)] as const)
  return {
    definitions: Object.fromEntries(completed),
    shown: (schema, scope) => {
      const name = names.get(JSON.stringify(schema))
      return name === undefined ? complete(schema, scope) : { $ref: `#/components/schemas/${name}` }
    }
  }
}
