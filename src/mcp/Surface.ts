/** Our own offer to a client: the tools, prompts and resources of an endpoint. */
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type Tool
} from "@modelcontextprotocol/sdk/types.js"
import { Effect, Either, identity } from "effect"
import { nearest } from "../domain/tools/text/Nearest.ts"
import type { Application } from "../http/server/Application.ts"
import { complete } from "./Completions.ts"
import { confirmedTools } from "./Confirmation.ts"
import { metaTools, searchTools, type UsedTool, usedTool } from "./MetaTools.ts"
import { promptOf, promptsFor } from "./Prompts.ts"
import type { Offer, Register } from "./protocol/Offer.ts"
import { invalidParams, unknown } from "./protocol/ProtocolError.ts"
import { readResource, resources, resourceTemplates, type Sources } from "./Resources.ts"
import { withOutput } from "./Structured.ts"
import type { Arguments, Caller } from "./ToolCall.ts"
import { callTool } from "./ToolResult.ts"
import { definitions, type OperationTool } from "./Tools.ts"
import { reaching, type Reword } from "./ToolWords.ts"

/** One endpoint as clients see it: tools, resources and instructions. */
export interface Surface extends Sources {
  /** Whether it acts in the name of the key that a request carries. */
  readonly hasKey: boolean
  readonly instructions: string
  readonly tools: ReadonlyArray<OperationTool>
  /** Those of `tools` that the caller may use. */
  readonly allowed: ReadonlyArray<OperationTool>
  /** Those of them that tools/list returns to this client. */
  readonly shown: ReadonlyArray<OperationTool>
  /** Whether tools/list also returns the tools that find and call the others. */
  readonly searches: boolean
  /** Whether results have structured content, and tools its schema. */
  readonly structured: boolean
}

/** The `_meta` field that carries the idempotency key of a tool call, instead of the header Idempotency-Key. */
const idempotencyMeta = "belltower/idempotency-key"

const unknownTool = (name: string, surface: Surface) => {
  const meant = nearest(name, surface.tools.map(({ operation }) => operation.id))
  return invalidParams(`${unknown("tool", name)}${meant === null ? "" : `; did you mean ${meant}?`}`)
}

const namedTool = (name: string, given: Arguments, { tools }: Surface): Either.Either<UsedTool> | null => {
  const tool = tools.find(({ operation }) => operation.id === name)
  return tool === undefined ? null : Either.right({ tool, given })
}

/** A client can call what it does not list, but its model does not know how. */
const rewordFor = ({ allowed, searches, shown }: Surface): Reword =>
  shown.length === allowed.length
    ? identity
    : reaching(
      new Set(shown.map(({ operation }) => operation.id)),
      searches ? "by use_tool" : "in none of your toolsets"
    )

const listedTools = ({ searches, shown, structured }: Surface): Array<Tool> => [
  ...(structured ? withOutput(shown, definitions(shown)) : definitions(shown)),
  ...(searches ? metaTools : [])
]

const handleTools = (on: Register, surface: Surface, app: Application, caller: Caller) => {
  on(ListToolsRequestSchema, () => Effect.succeed({ tools: listedTools(surface) }))
  on(CallToolRequestSchema, ({ params }, call) => {
    const given = params.arguments ?? {}
    if (params.name === "search_tools") return Effect.succeed(searchTools(given, surface.allowed))
    const used = params.name === "use_tool" ? usedTool(given, surface.tools) : namedTool(params.name, given, surface)
    if (used === null) return unknownTool(params.name, surface)
    if (Either.isLeft(used)) return Effect.succeed(used.left)
    const keyedCaller = { ...caller, idempotencyKey: params._meta?.[idempotencyMeta] }
    return callTool(app, used.right.tool, used.right.given, keyedCaller, { ...surface, reword: rewordFor(surface), call })
  })
}

/** The offer of a surface to a caller. */
export const offerOf = (surface: Surface, app: Application, caller: Caller): Offer => ({
  server: { name: "belltower", title: "Belltower", version: "1.0.0", websiteUrl: `${surface.baseUrl}/docs` },
  // Nothing is logged to clients, and lists change only with the key and the address, which are the client's own.
  capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
  instructions: surface.instructions,
  isPublic: !surface.hasKey,
  converses: (tool, declared) => "elicitation" in declared && (confirmedTools.has(tool) || tool === "use_tool"),
  handle: (on) => {
    handleTools(on, surface, app, caller)
    on(ListPromptsRequestSchema, () => Effect.succeed({ prompts: promptsFor(surface.hasKey, surface.allowed) }))
    on(GetPromptRequestSchema, ({ params }) => promptOf(params.name, params.arguments ?? {}))
    on(ListResourcesRequestSchema, () => Effect.succeed({ resources: [...resources(surface)] }))
    on(ListResourceTemplatesRequestSchema, () => Effect.succeed({ resourceTemplates: [...resourceTemplates] }))
    on(ReadResourceRequestSchema, ({ params }) => readResource(surface, app, caller, params.uri))
    on(CompleteRequestSchema, ({ params }) => complete(app, caller, params))
  }
})
