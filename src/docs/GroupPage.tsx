/** The page of one group of operations: the call, input, response and errors of each. */
import type { DescribedOperation, OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { failuresOf } from "../http/openapi/OpenApiErrors.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import { callExamples } from "./CallExamples.ts"
import { docsPage } from "./DocsFrame.tsx"
import { groupPath, markdownPath, schemaPath, templatePath } from "./DocsLinks.ts"
import { answerOf, describedOf, inputRows } from "./OperationRows.ts"
import { Fields, Line } from "./Text.tsx"

interface Entry {
  readonly baseUrl: string
  readonly operation: Operation
  readonly described: DescribedOperation
  readonly schemas: OpenApiDocument["components"]["schemas"]
}

const Answer = ({ described, operation }: Entry) => {
  const { example, name } = answerOf(operation, described)
  return (
    <div class="answer">
      <p>
        Returns {operation.success}
        {name === null ? null : (
          <>
            {" "}with a <a href={schemaPath(name)}>{name}</a>
          </>
        )}
      </p>
      {example === undefined ? null : (
        <details>
          <summary>Example response</summary>
          <pre tabIndex={0}><code>{JSON.stringify(example, null, 2)}</code></pre>
        </details>
      )}
    </div>
  )
}

/** Without a script: one example is open, and opening another closes it. */
const Examples = ({ baseUrl, described, operation }: Entry) => (
  <div class="examples">
    {callExamples(baseUrl, operation, described).map(({ code, language }, index) => (
      <details name={`example-${operation.id}`} open={index === 0}>
        <summary>{language}</summary>
        <pre tabIndex={0}><code>{code}</code></pre>
      </details>
    ))}
  </div>
)

const scopeWords = { public: "no key", read: "read", write: "write" } as const

const OperationEntry = (entry: Entry) => {
  const { described, operation, schemas } = entry
  const { id, method, scope, summary } = operation
  return (
    <section class="operation" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        <a href={`#${id}`}>{summary}</a>
      </h2>
      <p class="call">
        <span class={`method m-${method.toLowerCase()}`}>{method}</span>
        <code class="path">{templatePath(operation)}</code>
        <span class={`scope s-${scope}`} title="Scope that the key needs">{scopeWords[scope]}</span>
      </p>
      <p class="tool">
        MCP tool <code>{id}</code>, as <a href={markdownPath(id)}>Markdown</a>
      </p>
      {described.description === undefined ? null : <Line text={described.description} />}
      {inputRows(described, schemas).map(({ caption, rows }) => <Fields caption={caption} rows={rows} />)}
      <Examples {...entry} />
      <Answer {...entry} />
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

export const groupPage = (baseUrl: string, document: OpenApiDocument, group: string, members: ReadonlyArray<Operation>) =>
  docsPage({
    baseUrl,
    heading: group,
    path: groupPath(group),
    lead: document.tags.find(({ name }) => name === group)?.description,
    sections: members.map((operation) => () => {
      const described = describedOf(document, operation)
      return described === undefined ?
        null :
        <OperationEntry baseUrl={baseUrl} operation={operation} described={described} schemas={document.components.schemas} />
    })
  })
