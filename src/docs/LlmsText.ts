/** /llms.txt: the guide and a one-line entry for every operation, as Markdown for agents. */
import type { Operation } from "../http/openapi/Operations.ts"
import { groups, markdownPath, templatePath } from "./DocsLinks.ts"
import { type Block, guide } from "./Guide.ts"

const row = (cells: ReadonlyArray<string>) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const markdown = (block: Block): string => {
  switch (block._tag) {
    case "Text":
      return block.text
    case "List":
      return block.items.map((item) => `- ${item}`).join("\n")
    case "Code":
      return `${block.title}:\n\n\`\`\`\n${block.code}\n\`\`\``
    case "Table":
      return [row(block.head), row(block.head.map(() => "---")), ...block.rows.map(row)].join("\n")
  }
}

const line = (baseUrl: string) => (operation: Operation) =>
  `- [\`${operation.id}\`](${baseUrl}${markdownPath(operation.id)}) (${operation.scope}): ${operation.summary}. ` +
  `\`${operation.method} ${templatePath(operation)}\``

const operationLines = (baseUrl: string) =>
  groups.map(([group, members]) => `### ${group}\n\n${members.map(line(baseUrl)).join("\n")}`)

/** The document for clients that reach the service at `baseUrl`. (Format: https://llmstxt.org) */
export const llmsText = (baseUrl: string): string =>
  [
    "# Belltower",
    "> Uptime monitoring, status pages and incident communication for agents and people.",
    `- [API reference](${baseUrl}/docs): every operation with its fields, limits and examples\n` +
    `- [OpenAPI 3.1](${baseUrl}/api/v1/openapi.json): the machine-readable description\n` +
    `- MCP endpoint: ${baseUrl}/mcp (Streamable HTTP) with an API key. Without a key, connect to ` +
    `${baseUrl}/mcp/public and call \`bootstrap_workspace\``,
    ...guide(baseUrl).map(({ blocks, title }) => [`## ${title}`, ...blocks.map(markdown)].join("\n\n")),
    "## Operations",
    ...operationLines(baseUrl)
  ].join("\n\n") + "\n"
