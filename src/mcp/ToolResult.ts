/** Makes the result of a tool call: JSON as text, with short lists, text of targets apart, and the next step in words of MCP. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Option, Predicate } from "effect"
import { randomBytes } from "node:crypto"
import { envelopeOf } from "../../schema/Errors.ts"
import { clientConfigs } from "../docs/ClientConfigs.ts"
import { type FieldIssue, validationFailed } from "../domain/input/FieldIssues.ts"
import type { Application } from "../http/server/Application.ts"
import { withAliases } from "./Aliases.ts"
import { rowFieldsOf } from "./AnswerSchema.ts"
import { compactList, compactRow, defaultRows, type ListWish, mostRows } from "./CompactRows.ts"
import { confirmed } from "./Confirmation.ts"
import type { Ask, ClientCall } from "./protocol/ClientCall.ts"
import { separate, targetBlock } from "./TargetData.ts"
import { type Answered, type Arguments, type Caller, callOperation } from "./ToolCall.ts"
import type { OperationTool } from "./Tools.ts"
import { errorInToolWords, type Reword, warningsInToolWords } from "./ToolWords.ts"
import { reported } from "./Waiting.ts"

type Row = Readonly<Record<string, unknown>>

/** The next step of the caller, added to the answer of an operation. */
const nextSteps: Readonly<Record<string, (baseUrl: string, answer: Row) => Row>> = {
  // The key is of no use at the address that gave it, so the answer has what a client needs for the other one.
  bootstrap_workspace: (baseUrl, { apiKey }) => ({
    nextStep:
      `Store the apiKey. Reconnect to ${baseUrl}/mcp?toolsets=essential with the header Authorization: Bearer <apiKey>, as in ` +
      `connect, or use REST under ${baseUrl}/api/v1`,
    connect: Object.fromEntries(clientConfigs(baseUrl, String(apiKey)).map(({ config, title }) => [title, config]))
  })
}

/** Clients end a call after 60 s, so one that waits ends before and says how to go on. */
const longestWaitSec = 50

const waiting = "wait_for_monitor"

const withinClientsTime = ({ operation: { id } }: OperationTool, given: Arguments): Arguments =>
  id === waiting && Number(given["timeoutSec"]) > longestWaitSec && Number(given["timeoutSec"]) <= 120
    ? { ...given, timeoutSec: longestWaitSec }
    : given

/** The list that is followed with `after` and read from its end without. */
const followed = "list_events"

/** Lists inside other answers, which are shortened like lists of their own. */
const nestedLists: Readonly<Record<string, string>> = { get_monitor: "checks" }

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The arguments that the operation takes, and how the caller wants the answer. */
interface Wished {
  readonly given: Arguments
  readonly wish: ListWish
  readonly issues: ReadonlyArray<FieldIssue>
}

const isRows = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= mostRows

const plainWish: ListWish = { full: false, limit: mostRows, cursor: null }

/** The argument for the next page. Where `after` reverses the order, as in the event log, a list without it has no next page. */
const cursorOf = ({ input: { properties }, operation }: OperationTool, given: Arguments): ListWish["cursor"] =>
  "before" in properties
    ? "before"
    : "after" in properties && (operation.id !== followed || given["after"] !== undefined)
    ? "after"
    : null

/** The fields that a caller asks for, given as a text with commas or as a list, or what is wrong with them. */
const fieldsOf = ({ operation }: OperationTool, fields: unknown): ReadonlySet<string> | FieldIssue => {
  const given = typeof fields === "string" ? fields.split(",") : fields
  const known = rowFieldsOf(operation)
  const valid = `one or more of ${known.join(", ")}`
  if (!Array.isArray(given)) return { path: "fields", message: `Expected ${valid}` }
  const names = given.map((name) => String(name).trim())
  const stranger = names.find((name) => !known.includes(name))
  if (stranger === undefined) return new Set(names)
  return { path: "fields", message: `${stranger.slice(0, 64)} is no field of its rows; expected ${valid}` }
}

/** Whether rows are whole, or which of their fields are wanted. */
const fullnessOf = (tool: OperationTool, { evidence, fields, full = false }: Arguments): ListWish["full"] | FieldIssue =>
  typeof full !== "boolean"
    ? { path: "full", message: "Expected true or false" }
    // Evidence that was asked for must not be left out.
    : full || evidence === true
    ? true
    : fields === undefined
    ? false
    : fieldsOf(tool, fields)

/** Takes the arguments of this surface from those of a list. A limit that the operation takes is left to it. */
const wishOf = (tool: OperationTool, arguments_: Arguments): Wished => {
  if (tool.limitedBy === null) return { given: arguments_, wish: plainWish, issues: [] }
  const { fields: _fields, full: _full, limit = defaultRows, ...given } = arguments_
  const full = fullnessOf(tool, arguments_)
  const isWrong = typeof full === "object" && "path" in full
  const issues = isWrong ? [full] : []
  const wish = {
    full: isWrong ? false : full,
    limit: isRows(limit) ? limit : mostRows,
    cursor: cursorOf(tool, given)
  }
  if (tool.limitedBy === "operation") return { given: { ...given, limit }, wish, issues }
  return isRows(limit)
    ? { given, wish, issues }
    : { given, wish, issues: [...issues, { path: "limit", message: `Expected a whole number from 1 to ${mostRows}` }] }
}

const shortened = ({ limitedBy, operation: { id } }: OperationTool, value: unknown, wish: ListWish): unknown => {
  if (!Predicate.isRecord(value)) return value
  if (limitedBy !== null) return compactList(id, value, wish)
  const name = nestedLists[id]
  const rows = name === undefined ? undefined : value[name]
  return name === undefined || !Array.isArray(rows) ? value : { ...value, [name]: rows.map((row) => compactRow(id, row)) }
}

const withNextStep = ({ operation: { id } }: OperationTool, value: unknown, baseUrl: string): unknown => {
  const next = nextSteps[id]
  if (!Predicate.isRecord(value)) return value
  if (id === waiting && value["reached"] === false) return { ...value, nextStep: "Call it again to wait on" }
  return next === undefined ? value : { ...value, ...next(baseUrl, value) }
}

const textOf = (text: string) => ({ type: "text", text }) as const

const failed = (envelope: unknown, reword: Reword): CallToolResult => ({
  content: [textOf(JSON.stringify(errorInToolWords(envelope, reword)))],
  isError: true
})

/** The refusal with the fields of the tool, if it names an unknown one that is like none of them. */
const withFields = (envelope: unknown, { input, operation }: OperationTool): unknown => {
  if (!Predicate.isRecord(envelope) || !Predicate.isRecord(envelope["error"])) return envelope
  const { details, hint } = envelope["error"]
  const isStrange = Array.isArray(details) &&
    details.some((one) => Predicate.isRecord(one) && one["message"] === "Unknown field" && !String(one["path"]).includes("."))
  return hint === undefined && isStrange
    ? { error: { ...envelope["error"], hint: `Fields of ${operation.id}: ${Object.keys(input.properties).join(", ")}` } }
    : envelope
}

/** The result that a client gets of an endpoint. */
export interface ResultWish {
  readonly baseUrl: string
  /** Whether results have structured content, too. */
  readonly structured: boolean
  /** Makes what is said to the client suit the tools that it lists. */
  readonly reword: Reword
  /** The call of the client; null for a tool that a resource calls. */
  readonly call: Pick<ClientCall, "ask" | "declared" | "report"> | null
}

const nobody: Ask = () => Effect.succeedNone

const separated = (value: unknown, quoted: OperationTool["quoted"], structured: boolean) =>
  Effect.sync((): CallToolResult => {
    const parts = quoted === null ? { value, quoted: [] } : separate(value, quoted)
    const block = parts.quoted.length === 0 ? [] : [textOf(targetBlock(parts.quoted, randomBytes(12).toString("hex")))]
    return {
      // A text, such as YAML, is read as it is.
      content: [textOf(typeof parts.value === "string" ? parts.value : JSON.stringify(parts.value)), ...block],
      ...(structured ? { structuredContent: Predicate.isRecord(parts.value) ? parts.value : { text: parts.value } } : {})
    }
  })

/** Calls a tool. Errors are results with the envelope of REST, in the words of MCP. (Specification: Errors, Other rules.) */
export const callTool = Effect.fn("ToolResult.call")(function*(
  app: Application,
  tool: OperationTool,
  arguments_: Arguments,
  caller: Caller,
  { baseUrl, call, reword, structured }: ResultWish
) {
  const { given, issues, wish } = wishOf(tool, withAliases(tool, arguments_))
  if (issues.length > 0) return failed(envelopeOf(validationFailed(issues)), reword)
  const { given: taken, issue } = yield* confirmed(tool.operation.id, given, {
    app,
    caller: { ...caller, idempotencyKey: undefined },
    ask: call?.ask ?? nobody,
    canAsk: call !== null && "elicitation" in call.declared
  })
  if (issue !== null) return failed(envelopeOf(validationFailed([issue])), reword)
  const timely = withinClientsTime(tool, taken)
  const answered: Answered = yield* reported(
    call?.report ?? null,
    tool,
    timely,
    callOperation(app, tool.operation, timely, caller)
  )
  const value = Option.getOrElse(parse(answered.text), () => answered.text)
  if (answered.failed) return failed(withFields(value, tool), reword)
  const complete = withNextStep(tool, warningsInToolWords(shortened(tool, value, wish), reword), baseUrl)
  return yield* separated(complete, tool.quoted, structured)
})
