/** Calls an operation with a tool's arguments, through the same application that serves REST. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Either, Option, Predicate } from "effect"
import type { ValidationFailed } from "../../schema/Errors.ts"
import { nearest } from "../domain/Nearest.ts"
import { isStorable } from "../domain/Storable.ts"
import type { Operation, PartSchema } from "../http/openapi/Operations.ts"
import { type FieldIssue, validationFailed } from "../http/request/FieldIssues.ts"
import { fieldTypes } from "../http/request/FieldTexts.ts"
import type { Application } from "../http/server/Application.ts"
import { envelopeOf } from "../http/server/Envelope.ts"
import { CallOrigin } from "../operations/access/CallOrigin.ts"

type Arguments = Readonly<Record<string, unknown>>

const namesOf = (part: Option.Option<PartSchema>): ReadonlyArray<string> =>
  Option.match(part, { onNone: () => [], onSome: ({ ast }) => [...fieldTypes(ast).keys()] })

const pathText = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

/** A dot segment would be another path, and half of a surrogate pair has no encoding. */
const pathIssue = (name: string, value: unknown): ReadonlyArray<FieldIssue> =>
  value === undefined || value === ""
    ? [{ path: name, message: "Required" }]
    : /^\.{0,2}$/.test(pathText(value)) || !isStorable(pathText(value))
    ? [{ path: name, message: "Expected an id" }]
    : []

const queryText = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.map(queryText).join(",") : JSON.stringify(value)

/** A header carries the key from here on; what it cannot carry would run the call more than once, were it passed over. */
const keyIssue = (key: unknown): ReadonlyArray<FieldIssue> =>
  key === undefined || (typeof key === "string" && /^[\x20-\x7e\xa0-\xff]*$/.test(key))
    ? []
    : [{ path: "Idempotency-Key", message: "Expected a text without line breaks, of letters that a header can carry" }]

/** No field is half as deep; far beyond it, not even JSON.stringify would come to an end. */
const deepest = 32

const isWithin = (depth: number, value: unknown): boolean =>
  typeof value !== "object" || value === null ||
  (depth > 0 && Object.values(value).every((inner) => isWithin(depth - 1, inner)))

const depthIssues = (given: Arguments): ReadonlyArray<FieldIssue> =>
  Object.keys(given)
    .filter((name) => !isWithin(deepest, given[name]))
    .map((path) => ({ path, message: "Nested too deeply" }))

const unknownIssue = (name: string, known: ReadonlyArray<string>): FieldIssue => {
  const meant = nearest(name, known)
  return { path: name, message: meant === null ? "Unknown field" : `Unknown field; did you mean ${meant}?` }
}

/** Who calls, as the request that carried the message says it. */
export interface Caller {
  /** Those of its headers that the operation's request carries too. */
  readonly headers: Readonly<Record<string, string>>
  readonly remoteAddress: string | undefined
  /** Given for one call, if it is; of whatever type the client sent. */
  readonly idempotencyKey?: unknown
}

/** Who it is and where it comes from. Never a cookie: a browser's session is no way in here. */
const passedOn = ["authorization", "forwarded", "user-agent", "x-forwarded-for", "x-forwarded-proto", "x-real-ip"]

export const callerOf = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): Caller => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => passedOn.includes(name))),
  remoteAddress: Option.getOrUndefined(remoteAddress)
})

/** The address is never called: the request is handed to the application as it is. */
const origin = "http://belltower.internal"

/** The request that says the same over REST. All that the path, or an operation without a body, cannot carry is refused here. */
const toRequest = (operation: Operation, given: Arguments, caller: Caller): Either.Either<Request, ValidationFailed> => {
  const pathNames = namesOf(operation.pathParams)
  const queryNames = namesOf(operation.query)
  const rest = Object.keys(given).filter((name) => !pathNames.includes(name) && !queryNames.includes(name))
  const hasBody = Option.isSome(operation.payload)
  const issues = [
    ...keyIssue(caller.idempotencyKey),
    ...depthIssues(given),
    ...pathNames.flatMap((name) => pathIssue(name, given[name])),
    ...(hasBody ? [] : rest.map((name) => unknownIssue(name, [...pathNames, ...queryNames])))
  ]
  if (issues.length > 0) return Either.left(validationFailed(issues))
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(pathText(given[name])))
  const url = new URL(path, origin)
  for (const name of queryNames) {
    const value = given[name]
    if (value !== undefined && value !== null) url.searchParams.set(name, queryText(value))
  }
  return Either.right(
    new Request(url, {
      method: operation.method,
      headers: {
        ...caller.headers,
        ...(typeof caller.idempotencyKey === "string" ? { "idempotency-key": caller.idempotencyKey } : {}),
        ...(hasBody ? { "content-type": "application/json" } : {})
      },
      ...(hasBody ? { body: JSON.stringify(Object.fromEntries(rest.map((name) => [name, given[name]]))) } : {})
    })
  )
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const result = (text: string, isError: boolean): CallToolResult => {
  const value = Option.filter(parse(text), Predicate.isRecord)
  return {
    content: [{ type: "text", text }],
    ...(Option.isSome(value) ? { structuredContent: { ...value.value } } : {}),
    ...(isError ? { isError: true } : {})
  }
}

/** A failure is a result too, with the same envelope that REST answers. (Specification: Errors, other rules.) */
export const callTool = Effect.fn("ToolCall.call")(function*(
  app: Application,
  operation: Operation,
  given: Arguments,
  caller: Caller
) {
  const made = toRequest(operation, given, caller)
  if (Either.isLeft(made)) return result(JSON.stringify(envelopeOf(made.left)), true)
  const plain = HttpServerRequest.fromWeb(made.right)
  const request = caller.remoteAddress === undefined ? plain : plain.modify({ remoteAddress: caller.remoteAddress })
  const response = yield* app.pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.provideService(CallOrigin, { surface: "mcp", ip: caller.remoteAddress ?? null })
  )
  const text = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  return result(text, response.status >= 400)
})
