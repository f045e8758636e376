/** The text that the operator sees after startup: where the program listens and what to try next. */
import { firstCommands, firstPage } from "./domain/workspace/FirstCommands.ts"

const indented = (text: string): string => text.replace(/^/gm, "    ")

export const banner = (baseUrl: string): string =>
  [
    "",
    `  Belltower is ready at ${baseUrl}`,
    "",
    "  Try next:",
    "",
    ...firstCommands(baseUrl).flatMap((command) => [indented(command), ""]),
    `  Then open the status page. The second response contains its URL; on a new install it is ${firstPage(baseUrl)}`,
    `  Agents connect to ${baseUrl}/mcp with the API key, or to ${baseUrl}/mcp/public without a key`,
    `  API reference: ${baseUrl}/docs and ${baseUrl}/api/v1/openapi.json`,
    ""
  ].join("\n")
