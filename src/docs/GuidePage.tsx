/** The first page of the reference: the guide, and every operation in one line. */
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { docsPage } from "./DocsFrame.tsx"
import { groupPath, groups, operationPath } from "./DocsLinks.ts"
import { guide } from "./Guide.ts"
import { GuideBlock, Section } from "./Text.tsx"

const Operations = () => (
  <Section id="operations" title="Operations">
    {groups.map(([group, members]) => (
      <>
        <h3>
          <a href={groupPath(group)}>{group}</a>
        </h3>
        <ul class="operations">
          {members.map((operation) => (
            <li id={operation.id}>
              <a href={operationPath(operation)}>{operation.id}</a> {operation.summary}
            </li>
          ))}
        </ul>
      </>
    ))}
  </Section>
)

export const guidePage = (baseUrl: string, { info }: OpenApiDocument) =>
  docsPage({
    baseUrl,
    heading: "Belltower API reference",
    title: "Belltower API reference",
    path: "/docs",
    lead: `${info.description}. Every operation is an HTTP endpoint and an MCP tool with the same name.`,
    sections: [
      ...guide(baseUrl).map(({ blocks, id, title }) => () => (
        <Section kind="guide" id={id} title={title}>
          {blocks.map((block) => <GuideBlock block={block} />)}
        </Section>
      )),
      () => <Operations />
    ]
  })
