/** What a newcomer reads when the program is up: where it listens and what to try next. */
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
    `  Then open the page: its url is in the second answer, the first time ${firstPage(baseUrl)}`,
    `  Agents connect to ${baseUrl}/mcp, the interface is at ${baseUrl}/api/v1/openapi.json`,
    ""
  ].join("\n")
