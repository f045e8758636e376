/** Completes the arguments of prompts and resource templates: tool names, and the monitors and pages of the caller's workspace. */
import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Option, Predicate, SchemaAST } from "effect"
import { type Operation, operations } from "../http/openapi/Operations.ts"
import type { Application } from "../http/server/Application.ts"
import { prompts } from "./Prompts.ts"
import { invalidParams, unknown } from "./protocol/ProtocolError.ts"
import { resourceTemplates } from "./Resources.ts"
import { type Caller, callOperation } from "./ToolCall.ts"

/** The protocol's limit for one response. */
const maxValues = 100

/** A list whose rows are completed by one of their fields. */
interface Listed {
  readonly list: string
  readonly field: string
  /** Makes the list cheap. */
  readonly given?: Readonly<Record<string, unknown>>
}

type Source = "tools" | Listed

/** Keyed by prompt or template name, and argument. Arguments that are not listed are free text. */
const sources: Readonly<Record<string, Source>> = {
  "operation name": "tools",
  "monitor id": { list: "list_monitors", field: "id" },
  "page pageId": { list: "list_pages", field: "slug", given: { components: false } },
  "set_up_monitoring statusPage": { list: "list_pages", field: "slug", given: { components: false } },
  "investigate_incident incident": { list: "list_monitors", field: "name" }
}

const nameOf = (ref: CompleteRequest["params"]["ref"]): string | undefined =>
  ref.type === "ref/prompt"
    ? prompts.find(({ name }) => name === ref.name)?.name
    : resourceTemplates.find(({ uriTemplate }) => uriTemplate === ref.uri)?.name

const texts = (values: ReadonlyArray<unknown>) => values.filter(Predicate.isString)

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The rows that are searched, if the list takes a limit. */
const mostRows = 500

const takesLimit = ({ query }: Operation): boolean =>
  Option.exists(query, ({ ast }) => SchemaAST.getPropertySignatures(ast).some(({ name }) => name === "limit"))

/** The field of each row; empty if the key cannot read the list. */
const listed = Effect.fn("Completions.listed")(function*(app: Application, caller: Caller, { field, given = {}, list }: Listed) {
  const operation = operations.find(({ id }) => id === list)
  if (operation === undefined) return []
  const { text } = yield* callOperation(
    app,
    operation,
    { ...given, ...(takesLimit(operation) ? { limit: mostRows } : {}) },
    caller
  )
  const data = Option.getOrNull(Option.filter(parse(text), Predicate.isRecord))?.["data"]
  return Array.isArray(data) ? texts(data.map((row) => (Predicate.isRecord(row) ? row[field] : null))) : []
})

const valuesOf = (source: Source | undefined, app: Application, caller: Caller) =>
  source === undefined
    ? Effect.succeed([])
    : source === "tools"
    ? Effect.succeed(operations.map(({ id }) => id))
    : listed(app, caller, source)

/** Returns the values that contain the typed text; values that start with it come first. */
export const complete = Effect.fn("Completions.complete")(function*(
  app: Application,
  caller: Caller,
  { argument, ref }: CompleteRequest["params"]
) {
  const name = nameOf(ref)
  if (name === undefined) {
    return yield* invalidParams(unknown("prompt or resource template", ref.type === "ref/prompt" ? ref.name : ref.uri))
  }
  const typed = argument.value.toLowerCase()
  const all = yield* valuesOf(sources[`${name} ${argument.name}`], app, caller)
  const found = all.filter((value) => value.toLowerCase().includes(typed))
  const first = found.filter((value) => value.toLowerCase().startsWith(typed))
  const values = [...first, ...found.filter((value) => !first.includes(value))].slice(0, maxValues)
  return { completion: { values, total: found.length, hasMore: found.length > maxValues } } satisfies CompleteResult
})
