/** Messages of JSON-RPC, as an MCP client sends them. */

export const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params })

/** Begins a session. */
export const initialize = (protocolVersion: string) =>
  rpc("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } })
