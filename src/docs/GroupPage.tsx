/** The page of one group of operations. */
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import { docsPage } from "./DocsFrame.tsx"
import { groupPath } from "./DocsLinks.ts"
import { OperationEntry } from "./OperationEntry.tsx"
import { describedOf } from "./OperationRows.ts"

export const groupPage = (baseUrl: string, document: OpenApiDocument, group: string, members: ReadonlyArray<Operation>) =>
  docsPage({
    baseUrl,
    title: `${group}, Belltower API reference`,
    path: groupPath(group),
    lead: (
      <>
        <h1>{group}</h1>
        {document.tags.filter(({ name }) => name === group).map(({ description }) => <p class="lead">{description}</p>)}
      </>
    ),
    sections: members.map((operation) => () => {
      const described = describedOf(document, operation)
      return described === undefined ?
        null :
        <OperationEntry baseUrl={baseUrl} operation={operation} described={described} schemas={document.components.schemas} />
    })
  })
