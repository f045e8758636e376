/** MCP resources: the guide, the OpenAPI document, and single operations, monitors and status pages. */
import type { CallToolResult, ReadResourceResult, Resource, ResourceTemplate } from "@modelcontextprotocol/sdk/types.js"
import { Effect, identity, Option } from "effect"
import { llmsText } from "../docs/LlmsText.ts"
import { runSteps } from "../domain/tools/Steps.ts"
import { documentText, type OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { only, referred } from "../http/openapi/References.ts"
import type { Application } from "../http/server/Application.ts"
import { noResource } from "./protocol/ProtocolError.ts"
import type { Arguments, Caller } from "./ToolCall.ts"
import { callTool } from "./ToolResult.ts"
import { allTools } from "./Tools.ts"

export interface Sources {
  readonly baseUrl: string
  readonly document: Effect.Effect<OpenApiDocument>
}

const guideUri = (baseUrl: string) => `${baseUrl}/llms.txt`
const documentUri = (baseUrl: string) => `${baseUrl}/api/v1/openapi.json`

/** For clients that attach or save it: its text need not pass through a model. */
const exported = {
  uri: "belltower://workspace.yaml",
  name: "workspace",
  title: "Workspace as YAML",
  description: "The configuration, as returned by export_workspace. Needs an API key with the write scope.",
  mimeType: "application/yaml",
  annotations: { audience: ["user"], priority: 0.3 }
} satisfies Resource

export const resources = ({ baseUrl }: Sources): ReadonlyArray<Resource> => [
  {
    uri: guideUri(baseUrl),
    name: "guide",
    title: "Guide to Belltower",
    description:
      "How the API works (keys, errors, limits, events, webhooks), with a one-line entry for every operation. Read this first.",
    mimeType: "text/markdown",
    annotations: { audience: ["assistant"], priority: 1 }
  },
  {
    uri: documentUri(baseUrl),
    name: "openapi",
    title: "OpenAPI 3.1 document",
    description: "The complete API description. It is large: to read one operation, use belltower://operations/{name}.",
    mimeType: "application/json",
    annotations: { audience: ["assistant"], priority: 0.2 }
  },
  exported
]

const operationScheme = "belltower://operations/"

/** A record that a tool returns, as a resource: `belltower://<folder>/{<argument>}`. */
interface RecordResource {
  readonly scheme: string
  readonly argument: string
  readonly tool: string
  readonly name: string
  readonly title: string
  readonly description: string
}

const records: ReadonlyArray<RecordResource> = [
  {
    scheme: "belltower://monitors/",
    argument: "id",
    tool: "get_monitor",
    name: "monitor",
    title: "Monitor",
    description: "One monitor with its state, recent checks and statistics, as returned by get_monitor. Needs an API key."
  },
  {
    scheme: "belltower://pages/",
    argument: "pageId",
    tool: "get_page",
    name: "page",
    title: "Status page",
    description: "One status page with its components, by id or slug, as returned by get_page. Needs an API key."
  }
]

export const resourceTemplates: ReadonlyArray<ResourceTemplate> = [
  {
    uriTemplate: `${operationScheme}{name}`,
    name: "operation",
    title: "Operation",
    description: "One operation by its tool name: fields with their limits, examples, and the response schema.",
    mimeType: "application/json"
  },
  ...records.map(({ argument, description, name, scheme, title }) => ({
    uriTemplate: `${scheme}{${argument}}`,
    name,
    title,
    description,
    mimeType: "application/json"
  }))
]

const text = (uri: string, mimeType: string, content: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text: content }]
})

const decoded = Option.liftThrowable(decodeURIComponent)

const after = (uri: string, scheme: string) => uri.startsWith(scheme) ? decoded(uri.slice(scheme.length)) : Option.none()

const bodyOf = ({ content }: CallToolResult): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

interface Reader {
  readonly app: Application
  readonly baseUrl: string
  readonly caller: Caller
}

/** The answer of a tool as a resource. */
const answered = Effect.fn("Resources.answered")(function*(
  { app, baseUrl, caller }: Reader,
  name: string,
  given: Arguments,
  { mimeType, uri }: Pick<Resource, "uri" | "mimeType">
) {
  const tool = allTools.find(({ operation }) => operation.id === name)
  if (tool === undefined) return yield* noResource(uri)
  const result = yield* callTool(app, tool, given, caller, { baseUrl, structured: false, reword: identity, call: null })
  return result.isError === true
    ? yield* noResource(uri, bodyOf(result))
    : text(uri, mimeType ?? "application/json", bodyOf(result))
})

/** An operation of the document with the schemas that it references; none if no operation has this id. */
const operationPart = ({ components, paths }: OpenApiDocument, id: string) => {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== id) continue
      const schemas = only(components.schemas, runSteps(referred([operation], "schemas", components.schemas)))
      return Option.some({ method: method.toUpperCase(), path, operation, schemas })
    }
  }
  return Option.none()
}

/** The texts of resources that are the same for everyone, each made once per document. */
const rendered = new WeakMap<OpenApiDocument, Map<string, string>>()

const once = (document: OpenApiDocument, name: string, make: () => string): string => {
  const texts = rendered.get(document) ?? new Map<string, string>()
  rendered.set(document, texts)
  const known = texts.get(name) ?? make()
  texts.set(name, known)
  return known
}

/** Returns the content of a resource. Fails with the protocol's error for an unknown resource. */
export const readResource = Effect.fn("Resources.read")(function*(
  { baseUrl, document }: Sources,
  app: Application,
  caller: Caller,
  uri: string
) {
  const api = yield* document
  if (uri === guideUri(baseUrl)) return text(uri, "text/markdown", once(api, uri, () => llmsText(baseUrl)))
  if (uri === documentUri(baseUrl)) return text(uri, "application/json", yield* documentText(api))
  const reader = { app, baseUrl, caller }
  if (uri === exported.uri) return yield* answered(reader, "export_workspace", { format: "yaml" }, exported)
  for (const one of records) {
    const id = after(uri, one.scheme)
    if (Option.isSome(id)) return yield* answered(reader, one.tool, { [one.argument]: id.value }, { uri })
  }
  const name = after(uri, operationScheme)
  const part = Option.isSome(name) ? operationPart(api, name.value) : Option.none()
  if (Option.isNone(part)) return yield* noResource(uri)
  // By the operation's own name: a URI can spell it in many ways.
  return text(uri, "application/json", once(api, Option.getOrElse(name, () => uri), () => JSON.stringify(part.value)))
})
