/** The reference as Markdown for agents: /llms.txt with the guide and a line for each operation, and each operation by itself. */
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { failuresOf } from "../http/openapi/OpenApiErrors.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import { callExamples } from "./CallExamples.ts"
import { groups, markdownPath, templatePath } from "./DocsLinks.ts"
import { type Block, guide } from "./Guide.ts"
import { answerOf, describedOf, inputRows } from "./OperationRows.ts"
import { peopleHome } from "./people/Pages.ts"
import type { FieldRow } from "./SchemaWords.ts"

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
    `- [Guide](${baseUrl}${peopleHome}) for people at the dashboard, from the first monitor to on-call\n` +
    `- [API reference](${baseUrl}/docs): every operation with its fields, limits and examples\n` +
    `- [OpenAPI 3.1](${baseUrl}/api/v1/openapi.json): the machine-readable description\n` +
    `- MCP endpoint: ${baseUrl}/mcp (Streamable HTTP) with an API key. Without a key, connect to ` +
    `${baseUrl}/mcp/public and call \`bootstrap_workspace\``,
    ...guide(baseUrl).map(({ blocks, title }) => [`## ${title}`, ...blocks.map(markdown)].join("\n\n")),
    "## Operations",
    ...operationLines(baseUrl)
  ].join("\n\n") + "\n"

const cell = (text: string) => text.replaceAll("|", "\\|")

const fieldLine = ({ description, limits, name, required, type }: FieldRow) =>
  `- \`${name}\`${required ? " (required)" : ""}: ${type.map(({ word }) => word).join("")}${
    limits.length === 0 ? "" : `; ${cell(limits.join("; "))}`
  }${description === "" ? "" : `. ${description}`}`

const section = (title: string, lines: ReadonlyArray<string>) => lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")]

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``

const fences = { curl: "sh", TypeScript: "ts", Python: "python", MCP: "json" } as const

/** Undefined for an operation that the document does not describe. */
export const operationText = (baseUrl: string, document: OpenApiDocument, operation: Operation): string | undefined => {
  const described = describedOf(document, operation)
  if (described === undefined) return undefined
  const { example, name, rows } = answerOf(operation, described)
  return [
    `# ${operation.summary}`,
    `\`${operation.method} ${templatePath(operation)}\`, MCP tool \`${operation.id}\`. ${described.description ?? ""}`,
    ...inputRows(described, document.components.schemas).flatMap((part) => section(part.caption, part.rows.map(fieldLine))),
    "## Examples",
    ...callExamples(baseUrl, operation, described).map(({ code, language }) =>
      `${language}:\n\n${fenced(fences[language], code)}`
    ),
    "## Response",
    `Status ${operation.success}${name === null ? "" : `, a ${name}`}.`,
    ...(rows.length === 0 ? [] : [rows.map(fieldLine).join("\n")]),
    ...(example === undefined ? [] : [fenced("json", JSON.stringify(example, null, 2))]),
    "## Errors",
    failuresOf(operation).map(({ error, meaning, status }) => `- ${status} \`${error.code}\`: ${meaning}`).join("\n")
  ].join("\n\n") + "\n"
}
