/** How the common clients of MCP are configured with a key. */

export interface ClientConfig {
  /** The client, and its file if it has one. */
  readonly title: string
  /** A command, or the content of the file. */
  readonly config: string | object
}

export const clientConfigs = (baseUrl: string, key: string): ReadonlyArray<ClientConfig> => {
  const url = `${baseUrl}/mcp`
  const headers = { Authorization: `Bearer ${key}` }
  return [
    { title: "Claude Code", config: `claude mcp add --transport http belltower ${url} --header "Authorization: Bearer ${key}"` },
    { title: "Cursor, .cursor/mcp.json", config: { mcpServers: { belltower: { url, headers } } } },
    { title: "VS Code, .vscode/mcp.json", config: { servers: { belltower: { type: "http", url, headers } } } },
    {
      title: "Clients that support only stdio",
      config: {
        mcpServers: { belltower: { command: "npx", args: ["mcp-remote", url, "--header", `Authorization: Bearer ${key}`] } }
      }
    }
  ]
}
