/**
 * Results as structured content, with its schema, for clients that ask for it: with `?structured=true` or the header
 * `x-mcp-structured: true`. The schemas of all answers are larger than all tools, so they are not sent to others.
 */
import type { HttpServerRequest } from "@effect/platform"
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import { JSONSchema, Option, Predicate } from "effect"
import { flagOf } from "../../schema/Fields.ts"
import { tidy } from "../http/openapi/JsonSchemas.ts"
import type { OperationTool } from "./Tools.ts"

const header = "x-mcp-structured"

export const wantsStructure = ({ headers, url }: HttpServerRequest.HttpServerRequest): boolean => {
  const question = url.indexOf("?")
  const query = question === -1 ? null : new URLSearchParams(url.slice(question + 1)).get("structured")
  return flagOf(query ?? headers[header] ?? "") === true
}

type JsonObject = Readonly<Record<string, unknown>>

/** Words of a schema that a result fulfils: rows are shortened, so fields may be missing. */
const kept: ReadonlySet<string> = new Set(["$defs", "$ref", "anyOf", "items", "properties", "type"])

const looseMembers = (value: unknown): JsonObject =>
  Predicate.isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, loose(member)])) : {}

/** A mark such as "target-data 1" stands for text of a target, whatever its type is. */
const loose = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(loose)
  if (!Predicate.isRecord(value)) return value
  if (value["x-untrusted"] === true) return { "x-untrusted": true }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => kept.has(name))
      .map(([name, member]) => [name, name === "properties" || name === "$defs" ? looseMembers(member) : loose(member)])
  )
}

/** The schema of a tool's structured content; undefined if its answer is no object. */
const outputSchemaOf = ({ operation: { answer } }: OperationTool): Tool["outputSchema"] =>
  Option.getOrUndefined(Option.flatMap(answer, (part) => {
    const schema = loose(tidy(JSONSchema.make(part)))
    if (!Predicate.isRecord(schema)) return Option.none()
    const { $defs, $ref: reference, ...own } = schema
    const definition = Predicate.isString(reference) && Predicate.isRecord($defs) ? $defs[reference.replace("#/$defs/", "")] : own
    return Predicate.isRecord(definition) && definition["type"] === "object"
      ? Option.some({ ...definition, type: "object" as const, ...($defs === undefined ? {} : { $defs }) })
      : Option.none()
  }))

const schemas = new WeakMap<OperationTool, Tool["outputSchema"]>()

const known = (tool: OperationTool): Tool["outputSchema"] => {
  if (!schemas.has(tool)) schemas.set(tool, outputSchemaOf(tool))
  return schemas.get(tool)
}

/** The definitions with the schemas of their results. */
export const withOutput = (tools: ReadonlyArray<OperationTool>, defined: ReadonlyArray<Tool>): ReadonlyArray<Tool> =>
  defined.map((definition, index) => {
    const tool = tools[index]
    const outputSchema = tool === undefined ? undefined : known(tool)
    return outputSchema === undefined ? definition : { ...definition, outputSchema }
  })
