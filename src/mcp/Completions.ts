/** Completes the arguments of prompts and resource templates: tool names, and the monitors of the caller's workspace. */
import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Predicate } from "effect"
import { operations } from "../http/openapi/Operations.ts"
import type { Application } from "../http/server/Application.ts"
import { prompts } from "./Prompts.ts"
import { invalidParams } from "./ProtocolError.ts"
import { resourceTemplates } from "./Resources.ts"
import { type Caller, callTool } from "./ToolCall.ts"

/** The protocol's limit for one response. */
const maxValues = 100

type Source = "tools" | "monitorIds" | "monitorNames" | "nothing"

/** Keyed by prompt or template name, and argument. Arguments that are not listed are free text. */
const sources: Readonly<Record<string, Source>> = {
  "operation name": "tools",
  "monitor id": "monitorIds",
  "investigate_incident incident": "monitorNames"
}

const nameOf = (ref: CompleteRequest["params"]["ref"]): string | undefined =>
  ref.type === "ref/prompt"
    ? prompts.find(({ name }) => name === ref.name)?.name
    : resourceTemplates.find(({ uriTemplate }) => uriTemplate === ref.uri)?.name

const texts = (values: ReadonlyArray<unknown>) => values.filter(Predicate.isString)

/** Ids or names of the monitors; empty if the key cannot list monitors. */
const monitors = Effect.fn("Completions.monitors")(function*(app: Application, caller: Caller, field: "id" | "name") {
  const operation = operations.find(({ id }) => id === "list_monitors")
  if (operation === undefined) return []
  const { structuredContent } = yield* callTool(app, operation, {}, caller)
  const data = structuredContent?.["data"]
  return Array.isArray(data) ? texts(data.map((monitor) => (Predicate.isRecord(monitor) ? monitor[field] : null))) : []
})

const valuesOf = (source: Source, app: Application, caller: Caller) => {
  switch (source) {
    case "tools":
      return Effect.succeed(operations.map(({ id }) => id))
    case "monitorIds":
      return monitors(app, caller, "id")
    case "monitorNames":
      return monitors(app, caller, "name")
    case "nothing":
      return Effect.succeed([])
  }
}

/** Returns the values that contain the typed text; values that start with it come first. */
export const complete = Effect.fn("Completions.complete")(function*(
  app: Application,
  caller: Caller,
  { argument, ref }: CompleteRequest["params"]
) {
  const name = nameOf(ref)
  if (name === undefined) {
    return yield* invalidParams(`Unknown prompt or resource template: ${ref.type === "ref/prompt" ? ref.name : ref.uri}`)
  }
  const typed = argument.value.toLowerCase()
  const all = yield* valuesOf(sources[`${name} ${argument.name}`] ?? "nothing", app, caller)
  const found = all.filter((value) => value.toLowerCase().includes(typed))
  const first = found.filter((value) => value.toLowerCase().startsWith(typed))
  const values = [...first, ...found.filter((value) => !first.includes(value))].slice(0, maxValues)
  return { completion: { values, total: found.length, hasMore: found.length > maxValues } } satisfies CompleteResult
})
