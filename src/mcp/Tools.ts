/** Turns every operation of the registry into an MCP tool with the same name, input and limits. */
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import { Record } from "effect"
import { type Operation, operations } from "../http/openapi/Operations.ts"
import { isList, type Quoted, quotedInAnswer } from "./AnswerSchema.ts"

import { inputOf, inWords, type ToolInput } from "./ToolSchema.ts"
import { descriptionOf, titleOf } from "./ToolTexts.ts"

/** An operation as a tool. What tools/list says of it depends on the other tools that the client sees: see `definitions`. */
export interface OperationTool {
  readonly operation: Operation
  readonly input: ToolInput
  readonly readOnly: boolean
  /** The side that limits a list: the operation, or this surface, which then takes the limit itself. Null for other answers. */
  readonly limitedBy: "operation" | "surface" | null
  /** The parts of its answers that repeat text of targets. */
  readonly quoted: Quoted | null
}

const isReadOnly = ({ method, scope }: Operation): boolean => method === "GET" || scope === "read"

/** `leftOut` of a list says which argument of this surface gets more of it, so that those are not in the definition of each. */
const limitField = { type: "integer" }

const listInput = ({ properties, required }: ToolInput): ToolInput => ({
  properties: "limit" in properties ? { ...properties, limit: limitField } : properties,
  required
})

/** The operation that its caller confirms over MCP with the name of what it deletes. */
export const deletion = "delete_workspace"

const confirmedInput = ({ properties }: ToolInput): ToolInput => ({
  properties: { ...properties, name: { type: "string", description: "Of the workspace, to confirm" } },
  required: ["name"]
})

const toolOf = (operation: Operation): OperationTool => {
  const input = inputOf(operation)
  const list = isList(operation)
  return {
    operation,
    input: operation.id === deletion ? confirmedInput(input) : list ? listInput(input) : input,
    readOnly: isReadOnly(operation),
    limitedBy: !list ? null : "limit" in input.properties ? "operation" : "surface",
    quoted: quotedInAnswer(operation)
  }
}

export const allTools: ReadonlyArray<OperationTool> = operations.map(toolOf)

export const publicTools: ReadonlyArray<OperationTool> = allTools.filter(({ operation }) => operation.scope === "public")

/** The hints of the protocol, of which only `openWorldHint: true` is left out: it is the default. A repeated read changes nothing. */
const annotationsOf = (
  { operation: { hints, method, reachesOut, reachesOutWith }, readOnly }: OperationTool
): Tool["annotations"] => ({
  ...(readOnly ? { readOnlyHint: true } : { destructiveHint: hints.destroys ?? method === "DELETE" }),
  ...(readOnly || method !== "POST" ? { idempotentHint: true } : {}),
  ...(hints.heardOutside ?? (reachesOut || reachesOutWith !== null) ? {} : { openWorldHint: false })
})

/** With fewer shared fields, a lookup costs more than it saves. */
const fewestShared = 3

const keyOf = (name: string, field: unknown) => `${name} ${JSON.stringify(field)}`

/** The tool that describes each field: of those with the same field, the one with the fewest. */
const describers = (tools: ReadonlyArray<OperationTool>): ReadonlyMap<string, OperationTool> => {
  const found = new Map<string, OperationTool>()
  const sizeOf = ({ input }: OperationTool) => Object.keys(input.properties).length
  for (const tool of [...tools].sort((a, b) => sizeOf(a) - sizeOf(b))) {
    for (const [name, field] of Object.entries(tool.input.properties)) {
      const key = keyOf(name, field)
      if (!found.has(key)) found.set(key, tool)
    }
  }
  return found
}

/** The other tool that describes most of a tool's fields, if it describes enough of them. */
const describerOf = (tool: OperationTool, found: ReadonlyMap<string, OperationTool>): OperationTool | null => {
  const shared = new Map<OperationTool, number>()
  for (const [name, field] of Object.entries(tool.input.properties)) {
    const other = found.get(keyOf(name, field))
    if (other !== undefined && other !== tool) shared.set(other, (shared.get(other) ?? 0) + 1)
  }
  const [most] = [...shared].sort(([, a], [, b]) => b - a)
  return most !== undefined && most[1] >= fewestShared ? most[0] : null
}

/** Whether a tool has exactly this field, and describes it itself. */
const showsInFull = (tool: OperationTool, name: string, field: unknown, found: ReadonlyMap<string, OperationTool>): boolean => {
  const isSame = (other: OperationTool | null) => {
    const own = other?.input.properties[name]
    return own !== undefined && keyOf(name, own) === keyOf(name, field)
  }
  return isSame(tool) && !isSame(describerOf(tool, found))
}

const definitionOf = (tool: OperationTool, found: ReadonlyMap<string, OperationTool>): Tool => {
  const { input: { properties, required }, operation } = tool
  const describer = describerOf(tool, found)
  const isDescribedThere = (name: string, field: unknown) => describer !== null && showsInFull(describer, name, field, found)
  const fields = Record.map(properties, (field, name) => (isDescribedThere(name, field) ? {} : field))
  return {
    name: operation.id,
    title: titleOf(operation),
    description: descriptionOf(
      operation,
      describer === null ? null : `Fields: see ${describer.operation.id}.`
    ),
    inputSchema: {
      type: "object",
      properties: inWords(fields),
      ...(required.length === 0 ? {} : { required: [...required] }),
      // Elsewhere a refusal names the field that was meant, which is worth more than the words in each definition.
      ...(Object.keys(fields).length === 0 && tool.limitedBy === null ? { additionalProperties: false } : {})
    },
    annotations: annotationsOf(tool)
  }
}

/**
 * The tools as tools/list describes them. Fields that several share are described once, in a tool that is listed too, to which the others
 * refer.
 */
export const definitions = (tools: ReadonlyArray<OperationTool>): ReadonlyArray<Tool> => {
  const found = describers(tools)
  return tools.map((tool) => definitionOf(tool, found))
}
