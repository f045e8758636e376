/** The tools of an MCP server: what a check knows of each, and what is wrong with them by a monitor's expectations. */
import { createHash } from "node:crypto"
import type { McpTarget } from "../../../../../schema/monitor/kinds/mcp.ts"
import { canonicalJson } from "../../../tools/json/CanonicalJson.ts"
import { cut } from "../../../tools/text/TrimText.ts"
import { down, type Problem } from "../CheckVerdict.ts"
import { listIn, memberOf, textIn } from "./McpMessages.ts"

export interface Tool {
  readonly name: string
  /** Its annotation `readOnlyHint`. */
  readonly isReadOnly: boolean
  readonly pin: string
}

/** Names are at most 128 characters (specification 2025-11-25, Tools). */
const longestName = 180

/** Digits of SHA-256 in a pin: enough against chance, and a server that lies about its schema needs no collision. */
const digits = 16

/** Only a change of the schema changes it, not the order of its members. */
const pinOf = (name: string, schema: unknown): string =>
  `${name}@${createHash("sha256").update(canonicalJson(schema ?? null)).digest("hex").slice(0, digits)}`

const pinned = /^.+@[0-9a-f]{16}$/s

export const isPin = (text: string): boolean => pinned.test(text)

const nameIn = (pin: string): string => pin.slice(0, -digits - 1)

/** The tools in a result of tools/list; an entry without a name is no tool. */
export const toolsIn = (result: unknown): ReadonlyArray<Tool> =>
  listIn(result, "tools").flatMap((tool) => {
    const name = textIn(tool, "name")
    return name === null || name === "" || name.length > longestName ? [] : [{
      name,
      isReadOnly: memberOf(memberOf(tool, "annotations"), "readOnlyHint") === true,
      pin: pinOf(name, memberOf(tool, "inputSchema"))
    }]
  })

/** Names in an error; the first are enough. */
const shown = 5

const named = (names: ReadonlyArray<string>): string => {
  const first = names.slice(0, shown).map((name) => cut(name, 60)).join(", ")
  return names.length > shown ? `${first} and ${names.length - shown} more` : first
}

const missing = (expected: ReadonlyArray<string>, tools: ReadonlyArray<Tool>): Problem | null => {
  const listed = new Set(tools.map(({ name }) => name))
  const absent = expected.filter((name) => !listed.has(name))
  return absent.length === 0 ? null : down(
    "mcp_tools",
    `The server does not list ${named(absent)}; it lists ${tools.length === 0 ? "no tools" : named([...listed])}`
  )
}

/** Degraded if the tools differ from those that are pinned, by their names and input schemas. */
const drift = (pins: ReadonlyArray<string>, tools: ReadonlyArray<Tool>): Problem | null => {
  if (pins.length === 0) return null
  const before = new Map(pins.map((pin) => [nameIn(pin), pin]))
  const after = new Map(tools.map(({ name, pin }) => [name, pin]))
  const changes = [
    ["added", [...after.keys()].filter((name) => !before.has(name))],
    ["removed", [...before.keys()].filter((name) => !after.has(name))],
    ["changed", [...before].filter(([name, pin]) => after.has(name) && after.get(name) !== pin).map(([name]) => name)]
  ] as const
  const texts = changes.flatMap(([what, names]) => names.length === 0 ? [] : [`${what}: ${named(names)}`])
  return texts.length === 0 ? null : {
    severity: "degraded",
    cause: "mcp_tools",
    error: `The tools differ from those that are pinned (${texts.join("; ")}). Set pinnedTools to accept the change`
  }
}

export const toolProblems = ({ expectedTools, pinnedTools }: McpTarget, tools: ReadonlyArray<Tool>) => [
  missing(expectedTools, tools),
  drift(pinnedTools, tools)
]

/** Why a tool is not called; null if it may be. */
export const callProblem = ({ callMayChange, callTool }: McpTarget, tools: ReadonlyArray<Tool>): string | null => {
  if (callTool === null) return null
  const tool = tools.find(({ name }) => name === callTool)
  if (tool === undefined) return `The server does not list ${callTool}, so it was not called`
  return tool.isReadOnly || callMayChange
    ? null
    : `${callTool} was not called: the server does not mark it as read-only (readOnlyHint). Set callMayChange to call it anyway`
}

/** The text that assertions read: the structured result of a call, else its texts. */
export const resultText = (result: unknown): string => {
  const structured = memberOf(result, "structuredContent")
  return structured === undefined || structured === null
    ? listIn(result, "content").flatMap((part) => textIn(part, "text") ?? []).join("\n")
    : JSON.stringify(structured)
}
