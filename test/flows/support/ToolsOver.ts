/** The tools that the official SDK's client has over a transport. It closes with its scope. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { Effect } from "effect"
import type { Json } from "./Client.ts"

export const toolsOver = Effect.fn("toolsOver")(function*(transport: StreamableHTTPClientTransport) {
  const client = new Client({ name: "flow", version: "1" })
  yield* Effect.acquireRelease(
    // The SDK's class declares its optional session id differently than its interface does.
    Effect.promise(() => client.connect(transport as Transport)),
    () => Effect.promise(() => client.close())
  )
  const call = (name: string, given: Record<string, unknown> = {}) =>
    Effect.map(Effect.promise(() => client.callTool({ name, arguments: given })), ({ content, isError }: Json) => ({
      isError: isError === true,
      body: JSON.parse(content[0].text)
    }))
  return { call, tools: Effect.map(Effect.promise(() => client.listTools()), ({ tools }) => tools.map(({ name }) => name)) }
})
