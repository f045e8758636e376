/** The offer that the conformance suite calls: the tools, prompts and resources of its reference server, offered over our own transport. */
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  type GetPromptResult,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  type Prompt,
  ReadResourceRequestSchema,
  type ReadResourceResult,
  SubscribeRequestSchema,
  type Tool,
  UnsubscribeRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import type { ClientCall } from "../../../src/mcp/protocol/ClientCall.ts"
import type { Offer } from "../../../src/mcp/protocol/Offer.ts"
import { invalidParams, noResource } from "../../../src/mcp/protocol/ProtocolError.ts"
import { asking, askingPrompt, textResult } from "./ConformanceQuestions.ts"

const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
const audio = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

/** Keywords of JSON Schema that must reach the client unchanged. */
const inputSchema: Tool["inputSchema"] = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
}

type Run = (call: ClientCall) => Effect.Effect<CallToolResult, unknown>

const contents = (...content: CallToolResult["content"]): Run => () => Effect.succeed({ content })

const embedded = (uri: string, mimeType: string, text: string) =>
  ({ type: "resource", resource: { uri, mimeType, text } }) as const

const logging: Run = ({ notify }) =>
  Effect.as(
    Effect.forEach(["started", "processing data", "completed"], (step) =>
      notify("notifications/message", { level: "info", data: `Tool ${step}` })),
    textResult("Tool with logging executed successfully")
  )

const progressing: Run = ({ report }) =>
  Effect.as(
    Effect.forEach([0, 50, 100], (progress) =>
      report?.({ progress, total: 100, message: `Completed step ${progress} of 100` }) ?? Effect.void),
    textResult("done")
  )

const tools: Readonly<Record<string, Run>> = {
  test_simple_text: contents({ type: "text", text: "This is a simple text response for testing." }),
  test_image_content: contents({ type: "image", data: image, mimeType: "image/png" }),
  test_audio_content: contents({ type: "audio", data: audio, mimeType: "audio/wav" }),
  test_embedded_resource: contents(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  test_multiple_content_types: contents(
    { type: "text", text: "Multiple content types test:" },
    { type: "image", data: image, mimeType: "image/png" },
    embedded("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}")
  ),
  test_tool_with_logging: logging,
  test_tool_with_progress: progressing,
  test_error_handling: () =>
    Effect.succeed({ ...textResult("This tool intentionally returns an error for testing"), isError: true }),
  test_logging_tool: contents({ type: "text", text: "Logging evaluated" }),
  json_schema_2020_12_tool: contents({ type: "text", text: "called" }),
  ...asking
}

const definitionOf = (name: string): Tool => ({
  name,
  description: `Fixture ${name}`,
  inputSchema: name === "json_schema_2020_12_tool" ? inputSchema : { type: "object" }
})

const userText = (text: string) => ({ role: "user", content: { type: "text", text } }) as const

type Given = Readonly<Record<string, string>>

const prompts: ReadonlyArray<Prompt & { readonly messages: (given: Given) => GetPromptResult["messages"] }> = [
  { name: "test_simple_prompt", description: "Simple", messages: () => [userText("This is a simple prompt for testing.")] },
  {
    name: "test_prompt_with_arguments",
    description: "With arguments",
    arguments: [
      { name: "arg1", description: "First", required: true },
      { name: "arg2", description: "Second", required: true }
    ],
    messages: ({ arg1, arg2 }) => [userText(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)]
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "With a resource",
    arguments: [{ name: "resourceUri", description: "URI", required: true }],
    messages: ({ resourceUri = "" }) => [
      { role: "user", content: embedded(resourceUri, "text/plain", "Embedded resource content for testing.") },
      userText("Please process the embedded resource above.")
    ]
  },
  {
    name: "test_prompt_with_image",
    description: "With an image",
    messages: () => [
      { role: "user", content: { type: "image", data: image, mimeType: "image/png" } },
      userText("Please analyze the image above.")
    ]
  }
]

const template = /^test:\/\/template\/([^/]+)\/data$/

const read = (uri: string): ReadResourceResult | null => {
  const [, id] = template.exec(uri) ?? []
  if (uri === "test://static-text") {
    return { contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }] }
  }
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: image }] }
  return id === undefined
    ? null
    : {
      contents: [{
        uri,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
      }]
    }
}

const resources = [
  { uri: "test://static-text", name: "static-text", description: "Text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "Image", mimeType: "image/png" }
]

/** `isStateless` is whether the client speaks the version without sessions, which has no `resources/subscribe`. */
export const conformanceOffer = (isStateless: boolean): Offer => ({
  server: { name: "conformance", version: "1.0.0" },
  capabilities: { tools: {}, prompts: {}, resources: isStateless ? {} : { subscribe: true }, logging: {}, completions: {} },
  instructions: "",
  isPublic: true,
  converses: () => true,
  handle: (on) => {
    on(ListToolsRequestSchema, () => Effect.succeed({ tools: Object.keys(tools).map(definitionOf) }))
    on(CallToolRequestSchema, ({ params }, call) => tools[params.name]?.(call) ?? invalidParams(`Unknown tool: ${params.name}`))
    on(
      ListPromptsRequestSchema,
      () =>
        Effect.succeed({
          prompts: [...prompts.map(({ messages: _, ...prompt }) => prompt), {
            name: askingPrompt.name,
            description: "Asks first"
          }]
        })
    )
    on(GetPromptRequestSchema, ({ params }, call) => {
      if (params.name === askingPrompt.name) return askingPrompt.run(call)
      const found = prompts.find(({ name }) => name === params.name)
      return found === undefined
        ? invalidParams(`Unknown prompt: ${params.name}`)
        : Effect.succeed({ messages: found.messages(params.arguments ?? {}) })
    })
    on(ListResourcesRequestSchema, () => Effect.succeed({ resources }))
    on(
      ListResourceTemplatesRequestSchema,
      () => Effect.succeed({ resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }] })
    )
    on(ReadResourceRequestSchema, ({ params: { uri } }) => {
      const found = read(uri)
      return found === null ? noResource(uri) : Effect.succeed(found)
    })
    on(SubscribeRequestSchema, () => Effect.succeed({}))
    on(UnsubscribeRequestSchema, () => Effect.succeed({}))
    on(CompleteRequestSchema, () => Effect.succeed({ completion: { values: [], total: 0, hasMore: false } }))
  }
})
