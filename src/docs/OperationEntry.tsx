/** One operation of the reference: its call, input, response and errors. */
import { Predicate } from "effect"
import { resolved } from "../http/openapi/Examples.ts"
import type { DescribedOperation } from "../http/openapi/OpenApiDocument.ts"
import { failuresOf } from "../http/openapi/OpenApiErrors.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import { curlOf } from "./Curl.ts"
import { fieldRows, isSchema, type JsonSchema, limitWords, typeWords } from "./SchemaWords.ts"
import { Fields, Inline, Sample } from "./Text.tsx"

interface Entry {
  readonly baseUrl: string
  readonly operation: Operation
  readonly described: DescribedOperation
  readonly schemas: Readonly<Record<string, unknown>>
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

const parameterRows = ({ parameters }: DescribedOperation, place: "path" | "query", schemas: Entry["schemas"]) =>
  parameters.flatMap((one) => {
    if (!("in" in one) || one.in !== place || !isSchema(one.schema)) return []
    const schema: JsonSchema = resolved(one.schema, schemas)
    return [{
      name: one.name,
      required: one.required,
      type: typeWords(schema),
      limits: limitWords(schema),
      description: one.description ?? ""
    }]
  })

const bodyRows = ({ requestBody }: DescribedOperation, schemas: Entry["schemas"]) => {
  const schema = requestBody?.content["application/json"]?.schema
  return isSchema(schema) ? fieldRows(resolved(schema, schemas)) : []
}

const SuccessResponse = ({ described, operation }: Entry) => {
  const { success } = operation
  const response = Object.entries<unknown>(described.responses).find(([status]) => status === String(success))?.[1]
  const content = isSchema(response) && isSchema(response["content"]) ? response["content"]["application/json"] : undefined
  const { example, schema } = isSchema(content) ? content : {}
  const name = isSchema(schema) && Predicate.isString(schema["$ref"]) ? schema["$ref"].replace(/^.*\//, "") : null
  return (
    <div class="answer">
      <p>
        Returns {success}
        {name === null ? null : (
          <>
            {" "}with a <a href={`#schema-${name}`}>{name}</a>
          </>
        )}
      </p>
      {example === undefined ? null : (
        <details>
          <summary>Example response</summary>
          <pre tabIndex={0}><code>{json(example)}</code></pre>
        </details>
      )}
    </div>
  )
}

const scopeWords = { public: "no key", read: "read", write: "write" } as const

export const OperationEntry = (entry: Entry) => {
  const { baseUrl, described, operation, schemas } = entry
  const { id, method, scope, summary } = operation
  return (
    <section class="operation" id={id} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>
        <a href={`#${id}`}>{summary}</a>
      </h3>
      <p class="call">
        <span class={`method m-${method.toLowerCase()}`}>{method}</span>
        <code class="path">{operation.path.replace(/:(\w+)/g, "{$1}")}</code>
        <span class={`scope s-${scope}`} title="Scope that the key needs">{scopeWords[scope]}</span>
      </p>
      <p class="tool">
        MCP tool <code>{id}</code>
      </p>
      {described.description === undefined ? null : (
        <p>
          <Inline text={described.description} />
        </p>
      )}
      <Fields caption="Path" rows={parameterRows(described, "path", schemas)} />
      <Fields caption="Query" rows={parameterRows(described, "query", schemas)} />
      <Fields caption="Body" rows={bodyRows(described, schemas)} />
      <Sample title="Request" code={curlOf(baseUrl, operation, described)} />
      <SuccessResponse {...entry} />
      <p class="failures">
        Errors: {failuresOf(operation).map(({ error, meaning, status }, index) => (
          <>
            {index === 0 ? null : ", "}
            <span title={meaning}>
              {status} <code>{error.code}</code>
            </span>
          </>
        ))}
      </p>
    </section>
  )
}
