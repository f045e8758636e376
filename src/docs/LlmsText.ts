/** /llms.txt: the guide and a one-line entry for every operation, as Markdown for agents. */
import { Array } from "effect"
import { type Operation, operations } from "../http/openapi/Operations.ts"
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

const line = ({ id, method, path, scope, summary }: Operation) =>
  `- \`${id}\` (${scope}): ${summary}. \`${method} ${path.replace(/:(\w+)/g, "{$1}")}\``

const groups = () =>
  Object.entries(Array.groupBy(operations, ({ group }) => group)).map(([group, members]) =>
    `### ${group}\n\n${members.map(line).join("\n")}`
  )

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
    ...groups()
  ].join("\n\n") + "\n"
