/** What the operator reads when the program is up: where it listens and what to try next. */
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
    `  Then open the status page. Its url is in the second answer; the first time it is ${firstPage(baseUrl)}`,
    `  Agents connect to ${baseUrl}/mcp with the key, or to ${baseUrl}/mcp/public without one`,
    `  The API is described at ${baseUrl}/docs and ${baseUrl}/api/v1/openapi.json`,
    ""
  ].join("\n")
