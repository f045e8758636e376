/** One operation as Markdown, for agents and for people who copy it into a prompt. */
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { failuresOf } from "../http/openapi/OpenApiErrors.ts"
import type { Operation } from "../http/openapi/Operations.ts"
import { callExamples } from "./CallExamples.ts"
import { templatePath } from "./DocsLinks.ts"
import { answerOf, describedOf, inputRows } from "./OperationRows.ts"
import type { FieldRow } from "./SchemaWords.ts"

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
