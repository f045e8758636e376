/** Two tools that give a client with few tools all others: `search_tools` describes those that fit, `use_tool` calls one. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js"
import { Either, Predicate } from "effect"
import { envelopeOf } from "../../schema/Errors.ts"
import { validationFailed } from "../domain/input/FieldIssues.ts"
import { nearest } from "../domain/tools/text/Nearest.ts"
import type { Arguments } from "./ToolCall.ts"
import { definitions, type OperationTool } from "./Tools.ts"

export const metaTools: ReadonlyArray<Tool> = [
  {
    name: "search_tools",
    title: "Search tools",
    description: "Finds tools that are not listed, with their fields. use_tool calls them.",
    inputSchema: {
      type: "object",
      properties: { query: { type: "string", description: "What to do, such as swap on-call shifts, or the name of a tool" } },
      required: ["query"]
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
  },
  {
    name: "use_tool",
    title: "Use tool",
    description: "Calls a tool that search_tools found. Its result is that of the tool.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string" }, arguments: { type: "object" } },
      required: ["name"]
    },
    annotations: { destructiveHint: true }
  }
]

/** Tools that a search describes in full, and more that it names. */
const described = 4
const named = 8

const stemsIn = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().split(/[^a-z0-9]+/).filter((word) => word.length > 1).map((word) => word.replace(/(?:ing|s)$/, ""))

/** The weight of a word of the query in each text of a tool. */
const weightOf = (word: string, { operation, input }: OperationTool): number =>
  (stemsIn(operation.id).includes(word) ? 4 : 0) +
  (stemsIn(operation.summary).includes(word) ? 2 : 0) +
  (stemsIn(operation.group).includes(word) ? 1 : 0) +
  (stemsIn(operation.description ?? "").includes(word) ||
      Object.keys(input.properties).some((name) => stemsIn(name).includes(word))
    ? 1
    : 0)

/** Words of others for what tools call by other words. */
const alike: ReadonlyMap<string, string> = new Map(Object.entries({
  account: "workspace",
  badge: "public",
  billing: "checkout",
  cancel: "resolve",
  colleague: "member",
  cron: "heartbeat",
  job: "heartbeat",
  notification: "alert",
  pause: "paused mute",
  phone: "way",
  planned: "maintenance",
  recipient: "channel",
  resend: "replay",
  retry: "replay",
  silence: "mute",
  sla: "uptime",
  snooze: "mute",
  subscription: "subscribe",
  substitute: "oncall override",
  teammate: "member",
  terraform: "plan",
  token: "key",
  upgrade: "checkout",
  user: "member",
  vacation: "oncall override",
  weekly: "digest"
}))

/** The tools that fit, best first. A word that few tools have says more than one that many have. */
const findTools = (query: string, tools: ReadonlyArray<OperationTool>): ReadonlyArray<OperationTool> => {
  const words = stemsIn(query.slice(0, 300)).slice(0, 20).flatMap((word) => [word, ...(alike.get(word) ?? "").split(" ")])
  const weights = words.map((word) => {
    const ofTools = tools.map((tool) => weightOf(word, tool))
    const rarity = Math.log(1 + tools.length / Math.max(1, ofTools.filter((weight) => weight > 0).length))
    return ofTools.map((weight) => weight * rarity)
  })
  return tools
    .map((tool, index) => ({ tool, weight: weights.reduce((sum, ofTools) => sum + (ofTools[index] ?? 0), 0) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tool }) => tool)
}

const failed = (path: string, message: string): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(envelopeOf(validationFailed([{ path, message }]))) }],
  isError: true
})

export const searchTools = ({ query }: Arguments, tools: ReadonlyArray<OperationTool>): CallToolResult => {
  if (typeof query !== "string" || query.trim() === "") return failed("query", "Expected what to do, such as swap on-call shifts")
  const found = findTools(query, tools)
  const most = found.slice(0, described)
  const answer = {
    tools: definitions(most).map(({ description, inputSchema, name }) => ({ name, description, inputSchema })),
    // If nothing fits, a name may say more than a word of ours.
    others: (found.length === 0 ? tools : found.slice(described, described + named)).map(({ operation }) => operation.id)
  }
  return { content: [{ type: "text", text: JSON.stringify(answer) }] }
}

export interface UsedTool {
  readonly tool: OperationTool
  readonly given: Arguments
}

/** The tool that `use_tool` is to call and its arguments, or the refusal. */
export const usedTool = (
  { arguments: given = {}, name }: Arguments,
  tools: ReadonlyArray<OperationTool>
): Either.Either<UsedTool, CallToolResult> => {
  if (typeof name !== "string") return Either.left(failed("name", "Expected the name of a tool, as search_tools returns it"))
  const tool = tools.find(({ operation }) => operation.id === name)
  if (tool === undefined) {
    const meant = nearest(name, tools.map(({ operation }) => operation.id))
    return Either.left(
      failed("name", meant === null ? "No such tool; search_tools finds them" : `No such tool; did you mean ${meant}?`)
    )
  }
  return Predicate.isRecord(given)
    ? Either.right({ tool, given })
    : Either.left(failed("arguments", "Expected an object with the fields of the tool"))
}
