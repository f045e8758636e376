/** Calls an operation with a tool's arguments, through the application that serves REST. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Either, Option } from "effect"
import type { ValidationFailed } from "../../schema/Errors.ts"
import { nearest } from "../domain/Nearest.ts"
import { isStorable } from "../domain/Storable.ts"
import type { Operation, PartSchema } from "../http/openapi/Operations.ts"
import { type FieldIssue, validationFailed } from "../http/request/FieldIssues.ts"
import { fieldTypes } from "../http/request/FieldTexts.ts"
import type { Application } from "../http/server/Application.ts"
import { envelopeOf } from "../http/server/Envelope.ts"
import { CallOrigin } from "../operations/access/CallOrigin.ts"

export type Arguments = Readonly<Record<string, unknown>>

const namesOf = (part: Option.Option<PartSchema>): ReadonlyArray<string> =>
  Option.match(part, { onNone: () => [], onSome: ({ ast }) => [...fieldTypes(ast).keys()] })

const pathText = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

/** Rejects dot segments, which would change the path, and lone surrogates, which have no URL encoding. */
const pathIssue = (name: string, value: unknown): ReadonlyArray<FieldIssue> =>
  value === undefined || value === ""
    ? [{ path: name, message: "Required" }]
    : /^\.{0,2}$/.test(pathText(value)) || !isStorable(pathText(value))
    ? [{ path: name, message: "Expected an id" }]
    : []

const queryText = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.map(queryText).join(",") : JSON.stringify(value)

/** The key becomes a header. A key that a header cannot carry is rejected: ignoring it could run the call twice. */
const keyIssue = (key: unknown): ReadonlyArray<FieldIssue> =>
  key === undefined || (typeof key === "string" && /^[\x20-\x7e\xa0-\xff]*$/.test(key))
    ? []
    : [{ path: "Idempotency-Key", message: "Expected a string of printable Latin-1 characters" }]

/** More than twice the depth of any field. Far deeper values would overflow the stack of JSON.stringify. */
const maxDepth = 32

const isWithin = (depth: number, value: unknown): boolean =>
  typeof value !== "object" || value === null ||
  (depth > 0 && Object.values(value).every((inner) => isWithin(depth - 1, inner)))

const depthIssues = (given: Arguments): ReadonlyArray<FieldIssue> =>
  Object.keys(given)
    .filter((name) => !isWithin(maxDepth, given[name]))
    .map((path) => ({ path, message: "Nested too deeply" }))

const unknownIssue = (name: string, known: ReadonlyArray<string>): FieldIssue => {
  const meant = nearest(name, known)
  return { path: name, message: meant === null ? "Unknown field" : `Unknown field; did you mean ${meant}?` }
}

/** The caller, as identified by the request that carried the message. */
export interface Caller {
  /** The headers that are forwarded to the operation's request. */
  readonly headers: Readonly<Record<string, string>>
  readonly remoteAddress: string | undefined
  /** Key of a single call, as the client sent it and of any type. */
  readonly idempotencyKey?: unknown
}

/** Headers with the caller's identity and origin. Never cookies: MCP does not accept sessions of browsers. */
const forwardedHeaders = ["authorization", "forwarded", "user-agent", "x-forwarded-for", "x-forwarded-proto", "x-real-ip"]

export const callerOf = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): Caller => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => forwardedHeaders.includes(name))),
  remoteAddress: Option.getOrUndefined(remoteAddress)
})

/** A placeholder: the request goes to the application in process, never over the network. */
const origin = "http://belltower.internal"

/** Builds the equivalent REST request. Rejects arguments that the path, or an operation without a body, cannot carry. */
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

/** What an operation answered. */
export interface Answered {
  readonly text: string
  readonly failed: boolean
}

/** Calls an operation. Failures are answers with the envelope of REST. (Specification: Errors, other rules.) */
export const callOperation = Effect.fn("ToolCall.call")(function*(
  app: Application,
  operation: Operation,
  given: Arguments,
  caller: Caller
) {
  const converted = toRequest(operation, given, caller)
  if (Either.isLeft(converted)) return { text: JSON.stringify(envelopeOf(converted.left)), failed: true } satisfies Answered
  const plain = HttpServerRequest.fromWeb(converted.right)
  const request = caller.remoteAddress === undefined ? plain : plain.modify({ remoteAddress: caller.remoteAddress })
  const response = yield* app.pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.provideService(CallOrigin, { surface: "mcp", ip: caller.remoteAddress ?? null })
  )
  const text = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  return { text, failed: response.status >= 400 } satisfies Answered
})
