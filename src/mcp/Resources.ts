/** MCP resources: the guide, the OpenAPI document, and single operations and monitors. */
import type { ReadResourceResult, Resource, ResourceTemplate } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Option, Predicate } from "effect"
import { llmsText } from "../docs/LlmsText.ts"
import type { OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { operationPart } from "../http/openapi/OperationPart.ts"
import { operations } from "../http/openapi/Operations.ts"
import type { Application } from "../http/server/Application.ts"
import { noResource } from "./ProtocolError.ts"
import { type Caller, callTool } from "./ToolCall.ts"

/** The inputs of the resources. */
export interface Sources {
  readonly baseUrl: string
  readonly document: Effect.Effect<OpenApiDocument>
}

const guideUri = (baseUrl: string) => `${baseUrl}/llms.txt`
const documentUri = (baseUrl: string) => `${baseUrl}/api/v1/openapi.json`

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
  }
]

const operationScheme = "belltower://operations/"
const monitorScheme = "belltower://monitors/"

export const resourceTemplates: ReadonlyArray<ResourceTemplate> = [
  {
    uriTemplate: `${operationScheme}{name}`,
    name: "operation",
    title: "Operation",
    description: "One operation by its tool name: fields with their limits, examples, and the response schema.",
    mimeType: "application/json"
  },
  {
    uriTemplate: `${monitorScheme}{id}`,
    name: "monitor",
    title: "Monitor",
    description: "One monitor with its state, recent checks and statistics, as returned by get_monitor. Needs an API key.",
    mimeType: "application/json"
  }
]

const text = (uri: string, mimeType: string, content: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text: content }]
})

const decoded = Option.liftThrowable(decodeURIComponent)

const after = (uri: string, scheme: string) => uri.startsWith(scheme) ? decoded(uri.slice(scheme.length)) : Option.none()

const monitor = Effect.fn("Resources.monitor")(function*(app: Application, caller: Caller, uri: string, id: string) {
  const operation = operations.find((one) => one.id === "get_monitor")
  if (operation === undefined) return yield* noResource(uri)
  const { content, isError } = yield* callTool(app, operation, { id }, caller)
  const [first] = content
  const body = first !== undefined && Predicate.hasProperty(first, "text") ? String(first.text) : "{}"
  return isError === true ? yield* noResource(uri, body) : text(uri, "application/json", body)
})

/** Returns the content of a resource. Fails with the protocol's error for an unknown resource. */
export const readResource = Effect.fn("Resources.read")(function*(
  { baseUrl, document }: Sources,
  app: Application,
  caller: Caller,
  uri: string
) {
  if (uri === guideUri(baseUrl)) return text(uri, "text/markdown", llmsText(baseUrl))
  if (uri === documentUri(baseUrl)) return text(uri, "application/json", JSON.stringify(yield* document))
  const id = after(uri, monitorScheme)
  if (Option.isSome(id)) return yield* monitor(app, caller, uri, id.value)
  const name = after(uri, operationScheme)
  const part = Option.isSome(name) ? operationPart(yield* document, name.value) : Option.none()
  if (Option.isNone(part)) return yield* noResource(uri)
  return text(uri, "application/json", JSON.stringify(part.value))
})
