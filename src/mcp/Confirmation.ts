/**
 * Deletions that need a confirmation over MCP: the name of the workspace, or how many monitors there are. A text of a target could
 * otherwise talk an agent into one call. A client whose person can be asked gets a form for what is missing; other calls fail with
 * the field's name. REST takes a plain DELETE. (Specification: MCP.)
 */
import { Effect, Option, Predicate } from "effect"
import { countRefusal } from "../domain/CountedDeletion.ts"
import type { FieldIssue } from "../domain/input/FieldIssues.ts"
import { counted } from "../domain/tools/text/Counted.ts"
import { operations } from "../http/openapi/Operations.ts"
import type { Application } from "../http/server/Application.ts"
import type { Ask, InputRequired } from "./protocol/ClientCall.ts"
import { type Arguments, type Caller, callOperation } from "./ToolCall.ts"
import { deletion } from "./Tools.ts"

const manyDeleted = "delete_monitors"

/** The tools whose caller may be asked. */
export const confirmedTools: ReadonlySet<string> = new Set([deletion, manyDeleted])

/** The arguments that the operation takes, or why it is not called. */
export interface Confirmed {
  readonly given: Arguments
  readonly issue: FieldIssue | null
}

interface Confirming {
  readonly app: Application
  readonly caller: Caller
  readonly ask: Ask
}

/** The one field of a form. */
interface Question {
  readonly name: string
  readonly message: string
  readonly field: Readonly<Record<string, unknown>>
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The text that a person entered: none if nobody can be asked; null if the person declined. */
const entered = (ask: Ask, { field, message, name }: Question): Effect.Effect<Option.Option<unknown>, InputRequired> => {
  const requestedSchema = { type: "object", properties: { [name]: field }, required: [name] }
  return Effect.map(
    ask({ [name]: { method: "elicitation/create", params: { message, requestedSchema } } }),
    Option.map((answers) => {
      const answer = answers[name]
      return Predicate.isRecord(answer) && answer["action"] === "accept" && Predicate.isRecord(answer["content"])
        ? answer["content"][name]
        : null
    })
  )
}

const answerOf = Effect.fn("Confirmation.read")(function*(app: Application, id: string, given: Arguments, caller: Caller) {
  const operation = operations.find((one) => one.id === id)
  if (operation === undefined) return null
  const { failed, text } = yield* callOperation(app, operation, given, caller)
  const answer = Option.getOrNull(parse(text))
  return failed || !Predicate.isRecord(answer) ? null : answer
})

const declined = (path: string): FieldIssue => ({ path, message: "The deletion was not confirmed by the person who was asked" })

const workspaceNamed = Effect.fn("Confirmation.workspace")(
  function*({ app, ask, caller }: Confirming, { name, ...given }: Arguments) {
    const own = (yield* answerOf(app, "get_workspace", {}, caller))?.["name"]
    if (own === undefined || own === name) return { given, issue: null } satisfies Confirmed
    const answer = yield* entered(ask, {
      name: "name",
      message: `This deletes the workspace ${String(own)} with all that is in it. Enter its name to confirm.`,
      field: { type: "string", title: "Name of the workspace" }
    })
    if (Option.contains(answer, own)) return { given, issue: null } satisfies Confirmed
    const issue = Option.contains(answer, null)
      ? declined("name")
      : { path: "name", message: "Expected the name of the workspace, as get_workspace returns it" }
    return { given, issue } satisfies Confirmed
  }
)

const monitorsCounted = Effect.fn("Confirmation.monitors")(function*({ app, ask, caller }: Confirming, given: Arguments) {
  const found = yield* answerOf(app, manyDeleted, { ...given, dryRun: true }, caller)
  const matching = found?.["deleted"]
  const refusal = Array.isArray(matching)
    ? countRefusal(
      matching.length,
      undefined,
      counted(matching.length, "monitor with its history", "monitors with their history")
    )
    : null
  if (refusal === null) return { given, issue: null } satisfies Confirmed
  const answer = yield* entered(ask, {
    name: "count",
    message: `${refusal.message}. Enter how many to confirm.`,
    field: { type: "integer", title: "Number of monitors", minimum: 1 }
  })
  if (Option.isNone(answer)) return { given, issue: null } satisfies Confirmed
  return { given: { ...given, count: answer.value }, issue: answer.value === null ? declined("count") : null } satisfies Confirmed
})

/** Confirms a call of a tool where it needs that; other calls go on as they are. */
export const confirmed = (
  tool: string,
  given: Arguments,
  { canAsk, ...confirming }: Confirming & { readonly canAsk: boolean }
): Effect.Effect<Confirmed, InputRequired, Effect.Effect.Context<ReturnType<typeof workspaceNamed>>> =>
  tool === deletion
    ? workspaceNamed(confirming, given)
    : tool === manyDeleted && canAsk && given["count"] === undefined && given["dryRun"] !== true
    ? monitorsCounted(confirming, given)
    : Effect.succeed({ given, issue: null })
