/** Turns every operation of the registry into an MCP tool with the same name, input and limits. */
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import { JSONSchema, Option, Predicate } from "effect"
import { tidy } from "../http/openapi/JsonSchemas.ts"
import { type Operation, operations, type PartSchema } from "../http/openapi/Operations.ts"

/** An operation and its tool definition. */
export interface OperationTool {
  readonly operation: Operation
  readonly tool: Tool
}

type Properties = Readonly<Record<string, object>>

const objectsOf = (value: unknown): Properties =>
  Predicate.isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter((entry): entry is [string, object] => Predicate.isObject(entry[1])))
    : {}

const field = (schema: unknown, name: string): unknown => (Predicate.isRecord(schema) ? schema[name] : undefined)

/** Replaces the reference to a named schema with its definition, because a tool's input must be a plain object schema. */
const describe = (part: PartSchema) => {
  const schema = tidy(JSONSchema.make(part))
  const { [String(field(schema, "$ref")).replace("#/$defs/", "")]: named = schema, ...definitions } = objectsOf(
    field(schema, "$defs")
  )
  const required = field(named, "required")
  return {
    properties: objectsOf(field(named, "properties")),
    required: Array.isArray(required) ? required.filter(Predicate.isString) : [],
    definitions
  }
}

/** Merges path, query and body into one flat object, as the API does. */
const inputSchema = ({ pathParams, payload, query }: Operation): Tool["inputSchema"] => {
  const parts = [payload, query, pathParams].flatMap(Option.toArray).map(describe)
  const definitions = Object.assign({}, ...parts.map((part) => part.definitions))
  return {
    type: "object",
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}

const toolOf = (operation: Operation): OperationTool => {
  const { description, id, method, reachesOut, scope, summary } = operation
  const readOnly = method === "GET" || scope === "read"
  return {
    operation,
    tool: {
      name: id,
      title: summary,
      description: description === null ? `${summary}.` : `${summary}. ${description}`,
      inputSchema: inputSchema(operation),
      annotations: {
        title: summary,
        readOnlyHint: readOnly,
        destructiveHint: method === "DELETE",
        idempotentHint: readOnly || method === "DELETE" || method === "PUT" || method === "PATCH",
        openWorldHint: reachesOut
      }
    }
  }
}

/** All tools, in the registry's order. */
export const allTools: ReadonlyArray<OperationTool> = operations.map(toolOf)

/** The tools that need no key. */
export const publicTools: ReadonlyArray<OperationTool> = allTools.filter(({ operation }) => operation.scope === "public")
