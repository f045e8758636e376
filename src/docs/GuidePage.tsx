/** The first page of the reference: the guide, and every operation in one line. */
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { docsPage } from "./DocsFrame.tsx"
import { groupPath, groups, operationPath } from "./DocsLinks.ts"
import { guide } from "./Guide.ts"
import { GuideBlock } from "./Text.tsx"

const Operations = () => (
  <section id="operations">
    <h2>
      <a href="#operations">Operations</a>
    </h2>
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
  </section>
)

export const guidePage = (baseUrl: string, { info }: OpenApiDocument) =>
  docsPage({
    baseUrl,
    title: "Belltower API reference",
    path: "/docs",
    lead: (
      <>
        <h1>Belltower API reference</h1>
        <p class="lead">{info.description}. Every operation is an HTTP endpoint and an MCP tool with the same name.</p>
      </>
    ),
    sections: [
      ...guide(baseUrl).map(({ blocks, id, title }) => () => (
        <section class="guide" id={id}>
          <h2>
            <a href={`#${id}`}>{title}</a>
          </h2>
          {blocks.map((block) => <GuideBlock block={block} />)}
        </section>
      )),
      () => <Operations />
    ]
  })
