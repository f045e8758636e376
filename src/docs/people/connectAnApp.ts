/** Apps such as Claude and ChatGPT, which sign their person in instead of sending a key. */
import { command, list, type PeoplePage, section, steps, text } from "./Page.ts"

export const connectAnApp: PeoplePage = {
  slug: "connect-an-app",
  title: "Connect Claude or ChatGPT",
  lead: "Your assistant reads and changes your monitors, incidents and status pages for you, as far as you allow.",
  sections: (baseUrl) => [
    section(
      "connect",
      "Connect",
      text(
        `In Claude, add a custom connector under Settings, Connectors. In ChatGPT, turn on developer mode under Settings, Apps, and ` +
          `create an app. Either asks for the address of a remote MCP server: \`${baseUrl}/mcp\`. Leave the other fields empty.`
      ),
      text(
        "The app opens a page of Belltower. Sign in, or enter your email address to create an account. Then choose the workspace, " +
          "whether the app may change anything, and its tools, and allow it. Without a workspace, create one there, or claim " +
          "one that an agent set up."
      ),
      list(
        "The app gets no more rights than you have, and cannot create API keys or invite people.",
        "The page names the address that you return to. If it is not the app's, cancel.",
        "An app in the cloud must reach this address over the internet. Behind a firewall, use an app on your own computer."
      )
    ),
    section(
      "end",
      "End the access",
      steps(["/app/apps", "Each app has a button that disconnects it. It loses access immediately."]),
      text("An app that is not used for 30 days loses access by itself.")
    ),
    section(
      "terminal",
      "From a terminal",
      command("List the connected apps", baseUrl, "/grants")
    )
  ]
}
