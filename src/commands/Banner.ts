/** The text that the operator sees after startup: where the program listens and what to try next. */
import type { FirstNews } from "../deployment/ProbeDeployment.ts"
import { firstCommands, firstPage } from "../domain/workspace/FirstCommands.ts"
import { programCommand } from "../domain/workspace/ProgramCommand.ts"

const indented = (text: string): string => text.replace(/^/gm, "    ")

/** `news`: what the operator should know of this start; without a link to sign in, the text says how to print one. */
export const banner = (baseUrl: string, { capturesMail, signInPath }: FirstNews): string =>
  [
    "",
    `  Belltower is ready at ${baseUrl}`,
    "",
    ...(signInPath === null
      ? [
        "  To sign in, print a one-time link for your address. The account of a first start is operator@belltower.localhost:",
        "",
        `    ${programCommand("sign-in-link <address>")}`,
        ""
      ]
      : [
        "  Open the dashboard, signed in as owner of a first workspace (once, within 15 minutes):",
        "",
        `    ${baseUrl}${signInPath}`,
        ""
      ]),
    ...(capturesMail
      ? [
        "  No mail server is set: mail is captured, not sent, so alerts by email reach nobody.",
        `  Set one at ${baseUrl}/app/providers or with SMTP_URL.`,
        ""
      ]
      : []),
    "  Try next:",
    "",
    ...firstCommands(baseUrl).flatMap((command) => [indented(command), ""]),
    `  Then open the status page. The second response contains its URL; on a new install it is ${firstPage(baseUrl)}`,
    `  Agents connect to ${baseUrl}/mcp with the API key, or to ${baseUrl}/mcp/public without a key`,
    `  API reference: ${baseUrl}/docs and ${baseUrl}/api/v1/openapi.json`,
    ""
  ].join("\n")
