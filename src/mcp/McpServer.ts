/** Serves tools, prompts and resources with the SDK's server. Each message gets a new server, so no state is kept. */
import type { HttpRouter } from "@effect/platform"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type Tool
} from "@modelcontextprotocol/sdk/types.js"
import { Cause, Effect, Either, Exit, Option, Predicate, Runtime } from "effect"
import { nearest } from "../domain/tools/Nearest.ts"
import { maxIssues } from "../http/request/FieldIssues.ts"
import type { Application } from "../http/server/Application.ts"
import { complete } from "./Completions.ts"
import { metaTools, searchTools, type UsedTool, usedTool } from "./MetaTools.ts"
import { promptOf, prompts } from "./Prompts.ts"
import { invalidParams, ProtocolError, toldOf, unknown } from "./ProtocolError.ts"
import { readResource, resources, resourceTemplates, type Sources } from "./Resources.ts"
import { withOutput } from "./Structured.ts"
import type { Arguments, Caller } from "./ToolCall.ts"
import { callTool } from "./ToolResult.ts"
import { definitions, type OperationTool } from "./Tools.ts"

/** Characters of all answers to one POST: each message of a batch is answered, so a small batch of large reads has a large answer. */
const mostAnswered = 2 * 1024 * 1024

const exceeded = new ProtocolError({
  code: ErrorCode.InvalidRequest,
  message: "The answers to this batch would be larger than 2 MiB; send fewer messages in one request"
})

/** The characters of all texts in an answer; its structure adds little. */
const lengthOf = (value: unknown): number =>
  typeof value === "string"
    ? value.length
    : typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, inner: unknown) => sum + lengthOf(inner), 0)
    : 8

/** Passes answers on, until they are too large together. The first one always passes. */
const makeAnswerBudget = () => {
  let taken = 0
  return <A>(answer: A): Promise<A> => {
    const length = lengthOf(answer)
    if (taken > 0 && taken + length > mostAnswered) return Promise.reject(exceeded)
    taken += length
    return Promise.resolve(answer)
  }
}

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const describeIssue = ({ message, path }: Readonly<Record<string, unknown>>) =>
  Array.isArray(path) && path.length > 0 ? `${path.join(".")}: ${String(message)}` : String(message)

/** The SDK reports validation issues as a JSON list in the error message; the first of them. */
const issuesOf = (message: unknown): ReadonlyArray<string> => {
  const issues = typeof message === "string" && message.startsWith("[") ? Option.getOrNull(parseJson(message)) : null
  return Array.isArray(issues) ? issues.slice(0, maxIssues).filter(Predicate.isRecord).map(describeIssue) : []
}

const corrected = (message: unknown): unknown => {
  const error = Predicate.hasProperty(message, "error") && Predicate.isRecord(message.error) ? message.error : {}
  const issues = error["code"] === ErrorCode.InternalError ? issuesOf(error["message"]) : []
  return issues.length === 0 || !Predicate.isRecord(message)
    ? message
    : { ...message, error: { code: ErrorCode.InvalidParams, message: `Invalid params: ${issues.join("; ")}` } }
}

/** Turns the internal error of the SDK for malformed params into Invalid params, so that clients do not retry. */
const withParamIssues = (body: string): string => {
  if (!body.includes(`"code":${ErrorCode.InternalError}`)) return body
  const messages = Option.getOrNull(parseJson(body))
  return JSON.stringify(Array.isArray(messages) ? messages.map(corrected) : corrected(messages))
}

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

type Services = HttpRouter.HttpRouter.DefaultServices

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

const listedTools = ({ searches, shown, structured }: Surface): Array<Tool> => [
  ...(structured ? withOutput(shown, definitions(shown)) : definitions(shown)),
  ...(searches ? metaTools : [])
]

const serverOf = (surface: Surface, app: Application, caller: Caller, runtime: Runtime.Runtime<Services>): Server => {
  const server = new Server(
    { name: "belltower", title: "Belltower", version: "1.0.0", websiteUrl: `${surface.baseUrl}/docs` },
    { capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} }, instructions: surface.instructions }
  )
  const within = makeAnswerBudget()
  /** The SDK returns the rejection to the client, so reject with the failure itself. */
  const run = async <A, E>(effect: Effect.Effect<A, E, Services>, signal: AbortSignal): Promise<A> => {
    const reported = Effect.catchAllCause(effect, (cause) => Effect.flatMap(toldOf(cause), Effect.fail))
    const exit = await Runtime.runPromiseExit(runtime, reported, { signal })
    return Exit.isSuccess(exit) ? within(exit.value) : Promise.reject(Cause.squash(exit.cause))
  }
  server.setRequestHandler(ListToolsRequestSchema, () => within({ tools: listedTools(surface) }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const given = params.arguments ?? {}
    if (params.name === "search_tools") return within(searchTools(given, surface.allowed))
    const used = params.name === "use_tool" ? usedTool(given, surface.tools) : namedTool(params.name, given, surface)
    if (used === null) return Promise.reject(unknownTool(params.name, surface))
    if (Either.isLeft(used)) return within(used.left)
    const keyedCaller = { ...caller, idempotencyKey: params._meta?.[idempotencyMeta] }
    return run(callTool(app, used.right.tool, used.right.given, keyedCaller, surface), signal)
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...prompts] }))
  server.setRequestHandler(
    GetPromptRequestSchema,
    ({ params }, { signal }) => run(promptOf(params.name, params.arguments ?? {}), signal)
  )
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...resources(surface)] }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }))
  server.setRequestHandler(
    ReadResourceRequestSchema,
    ({ params }, { signal }) => run(readResource(surface, app, caller, params.uri), signal)
  )
  server.setRequestHandler(CompleteRequestSchema, ({ params }, { signal }) => run(complete(app, caller, params), signal))
  return server
}

/** Answers one JSON-RPC POST. `messages` is what its body holds, so that it is not parsed twice; none if it is not JSON. */
export const answer = Effect.fn("McpServer.answer")(function*(
  surface: Surface,
  app: Application,
  caller: Caller,
  request: Request,
  messages: Option.Option<unknown>
) {
  const runtime = yield* Effect.runtime<Services>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => serverOf(surface, app, caller, runtime)),
    (acquired) => Effect.promise(() => acquired.close())
  )
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  yield* Effect.promise(() => server.connect(transport))
  const parsed = Option.match(messages, { onNone: () => ({}), onSome: (parsedBody) => ({ parsedBody }) })
  const response = yield* Effect.promise(() => transport.handleRequest(request, parsed))
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    headers[name] = value
  })
  return { status: response.status, headers, body: withParamIssues(yield* Effect.promise(() => response.text())) }
}, Effect.scoped)
