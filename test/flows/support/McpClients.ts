/** The clients of the official SDKs, of which one begins sessions and the other speaks the version without them. */
import * as Stateless from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import { type Cause, Effect, type Scope } from "effect"
import type { Json } from "../../support/program/TestServer.ts"

interface Reported {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

interface Wish {
  readonly onprogress?: (reported: Reported) => void
  readonly signal?: AbortSignal
}

interface Called {
  readonly isError: boolean
  readonly body: Json
}

export interface McpClient {
  /** Fails if the call is ended by its signal. */
  readonly call: (name: string, given?: Record<string, unknown>, wish?: Wish) => Effect.Effect<Called, Cause.UnknownException>
  readonly tools: Effect.Effect<ReadonlyArray<string>>
  readonly resource: (uri: string) => Effect.Effect<string>
  readonly prompts: Effect.Effect<ReadonlyArray<string>>
}

/** Answers a form with the question of the server; null declares that nobody can be asked. */
export type Person = ((message: string) => ElicitResult) | null

export type Connect = (baseUrl: string, apiKey: string, person: Person) => Effect.Effect<McpClient, never, Scope.Scope>

const calledOf = ({ content, isError }: Json): Called => ({ isError: isError === true, body: JSON.parse(content[0].text) })

const names = (listed: ReadonlyArray<{ readonly name: string }>): ReadonlyArray<string> => listed.map(({ name }) => name)

/** With a session, in version 2025-11-25. */
export const connectWithSession: Connect = (baseUrl, apiKey, person) =>
  Effect.gen(function*() {
    const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${apiKey}` } }
    })
    const client = new Client({ name: "flow", version: "1" }, { capabilities: person === null ? {} : { elicitation: {} } })
    if (person !== null) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message))
    yield* Effect.acquireRelease(
      Effect.promise(() => client.connect(transport as Transport)),
      () => Effect.promise(() => client.close())
    )
    return {
      call: (name, given = {}, wish = {}) =>
        Effect.map(
          Effect.tryPromise(() => client.callTool({ name, arguments: given }, undefined, wish)),
          calledOf
        ),
      tools: Effect.map(Effect.promise(() => client.listTools()), ({ tools }) => names(tools)),
      prompts: Effect.map(Effect.promise(() => client.listPrompts()), ({ prompts }) => names(prompts)),
      resource: (uri) => Effect.map(Effect.promise(() => client.readResource({ uri })), ({ contents }: Json) => contents[0].text)
    }
  })

/** Without a session, in version 2026-07-28. */
export const connectWithoutSession: Connect = (baseUrl, apiKey, person) =>
  Effect.gen(function*() {
    const transport = new Stateless.StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${apiKey}` } }
    })
    const client = new Stateless.Client({ name: "flow", version: "1" }, {
      capabilities: person === null ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: "2026-07-28" } }
    })
    if (person !== null) client.setRequestHandler("elicitation/create", ({ params }) => person(params.message))
    yield* Effect.acquireRelease(
      Effect.promise(() => client.connect(transport)),
      () => Effect.promise(() => client.close())
    )
    return {
      call: (name, given = {}, wish = {}) =>
        Effect.map(
          Effect.tryPromise(() => client.callTool({ name, arguments: given }, wish)),
          calledOf
        ),
      tools: Effect.map(Effect.promise(() => client.listTools()), ({ tools }) => names(tools)),
      prompts: Effect.map(Effect.promise(() => client.listPrompts()), ({ prompts }) => names(prompts)),
      resource: (uri) => Effect.map(Effect.promise(() => client.readResource({ uri })), ({ contents }: Json) => contents[0].text)
    }
  })
