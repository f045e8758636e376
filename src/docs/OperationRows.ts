/** The fields of an operation, for the pages, the Markdown and the search. */
import { Predicate } from "effect"
import { resolved } from "../http/openapi/Examples.ts"
import type { DescribedOperation, OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import { templatePath } from "./DocsLinks.ts"
import { type FieldRow, fieldRows, isSchema, type JsonSchema, limitWords, typeWords } from "./SchemaWords.ts"

type Schemas = OpenApiDocument["components"]["schemas"]

export const describedOf = ({ paths }: OpenApiDocument, operation: Operation): DescribedOperation | undefined =>
  paths[templatePath(operation)]?.[operation.method.toLowerCase()]

const parameterRows = ({ parameters }: DescribedOperation, where: "path" | "query", schemas: Schemas): ReadonlyArray<FieldRow> =>
  parameters.flatMap((one) => {
    if (!("in" in one) || one.in !== where || !isSchema(one.schema)) return []
    const schema: JsonSchema = resolved(one.schema, schemas)
    return [{
      name: one.name,
      required: one.required,
      type: typeWords(schema),
      limits: limitWords(schema),
      description: one.description ?? ""
    }]
  })

const bodyRows = ({ requestBody }: DescribedOperation, schemas: Schemas): ReadonlyArray<FieldRow> => {
  const schema = requestBody?.content["application/json"]?.schema
  return isSchema(schema) ? fieldRows(resolved(schema, schemas)) : []
}

/** The input of an operation, by where a field goes. */
export const inputRows = (described: DescribedOperation, schemas: Schemas) => [
  { caption: "Path", rows: parameterRows(described, "path", schemas) },
  { caption: "Query", rows: parameterRows(described, "query", schemas) },
  { caption: "Body", rows: bodyRows(described, schemas) }
]

/** The answer of a successful call: the name of its schema, null if it has none, and an example. */
export const answerOf = (operation: Operation, described: DescribedOperation) => {
  const response = Object.entries<unknown>(described.responses).find(([status]) => status === String(operation.success))?.[1]
  const content = isSchema(response) && isSchema(response["content"]) ? response["content"]["application/json"] : undefined
  const { example, schema } = isSchema(content) ? content : {}
  const name = isSchema(schema) && Predicate.isString(schema["$ref"]) ? schema["$ref"].replace(/^.*\//, "") : null
  return { name, example, rows: isSchema(schema) && name === null ? fieldRows(schema) : [] }
}
