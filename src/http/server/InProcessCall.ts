/** Calls an operation inside the process, through the application that serves REST. MCP and the dashboard use it. */
import { Headers, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, Either, Option, SchemaAST } from "effect"
import type { AuditVia } from "../../../schema/access/Audit.ts"
import type { Caller as Identity } from "../../../schema/access/Caller.ts"
import { envelopeOf, statusOf, type ValidationFailed } from "../../../schema/Errors.ts"
import { type FieldIssue, maxIssues, unknownField, validationFailed } from "../../domain/input/FieldIssues.ts"
import { fieldTypes, isList } from "../../domain/input/FieldTexts.ts"
import { isStorable } from "../../domain/tools/text/Storable.ts"
import { CallOrigin } from "../../operations/access/CallOrigin.ts"
import { Authenticated } from "../guard/Authorization.ts"
import type { Operation, PartSchema } from "../openapi/Operations.ts"
import type { Application } from "./Application.ts"
import { longestParameter } from "./RouteRequests.ts"

export type Arguments = Readonly<Record<string, unknown>>

/** The names of the fields of a part of a request. */
export const namesOf = (part: Option.Option<PartSchema>): ReadonlyArray<string> =>
  Option.match(part, { onNone: () => [], onSome: ({ ast }) => [...fieldTypes(ast).keys()] })

const pathText = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

/** Rejects dot segments, which change the path, lone surrogates, which have no URL encoding, and texts too long for the router. */
const pathIssue = (name: string, value: unknown): ReadonlyArray<FieldIssue> =>
  value === undefined || value === ""
    ? [{ path: name, message: "Required" }]
    : /^\.{0,2}$/.test(pathText(value)) || !isStorable(pathText(value)) ||
        encodeURIComponent(pathText(value)).length > longestParameter
    ? [{ path: name, message: "Expected an id" }]
    : []

const queryText = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.map(queryText).join(",") : JSON.stringify(value)

/** Whether a field takes several values, separated by commas. */
const takesSeveral = ({ ast }: PartSchema, name: string): boolean =>
  Option.exists(Option.fromNullable(fieldTypes(SchemaAST.typeAST(ast)).get(name)), isList)

const isSingle = (value: unknown): boolean => typeof value !== "object" || value === null

/** More than twice the depth of any field. Far deeper values would overflow the stack of JSON.stringify. */
const maxDepth = 32

const isWithin = (depth: number, value: unknown): boolean =>
  typeof value !== "object" || value === null ||
  (depth > 0 && Object.values(value).every((inner) => isWithin(depth - 1, inner)))

/** Rejects what would be looked for as its JSON, and a list where the field takes one value. */
const queryIssue = (part: Option.Option<PartSchema>, name: string, value: unknown): ReadonlyArray<FieldIssue> => {
  if (isSingle(value) || !isWithin(maxDepth, value)) return []
  if (!Array.isArray(value)) return [{ path: name, message: "Expected a single value, got an object" }]
  const isTaken = value.every(isSingle) && (value.length === 1 || Option.exists(part, (one) => takesSeveral(one, name)))
  return isTaken ? [] : [{ path: name, message: "Expected a single value, got an array" }]
}

/** The key becomes a header. A key that a header cannot carry is rejected: ignoring it could run the call twice. */
const keyIssue = (key: unknown): ReadonlyArray<FieldIssue> =>
  key === undefined || (typeof key === "string" && /^[\x20-\x7e\xa0-\xff]*$/.test(key))
    ? []
    : [{ path: "Idempotency-Key", message: "Expected a string of printable Latin-1 characters" }]

const depthIssues = (given: Arguments): ReadonlyArray<FieldIssue> =>
  Object.keys(given)
    .filter((name) => !isWithin(maxDepth, given[name]))
    .slice(0, maxIssues)
    .map((path) => ({ path, message: "Nested too deeply" }))

/** No more than are reported: finding a nearest name costs more than anything else here. */
const unknownIssues = (names: ReadonlyArray<string>, known: ReadonlyArray<string>): ReadonlyArray<FieldIssue> =>
  names.slice(0, maxIssues).map((path) => ({ path, message: unknownField(path, known) }))

/** The names of a body's fields: of those that it does not take, no more than are reported, so that the rest costs nothing. */
const bodyNames = (names: ReadonlyArray<string>, known: ReadonlySet<string>): ReadonlyArray<string> => {
  let unknown = 0
  return names.filter((name) => known.has(name) || ++unknown <= maxIssues)
}

/** The caller, as identified by the request that led to the call. */
export interface Caller {
  readonly surface: AuditVia
  /** The headers that are forwarded to the operation's request. */
  readonly headers: Readonly<Record<string, string>>
  readonly remoteAddress: string | undefined
  /** The caller if the surface has authenticated it; otherwise the headers are used. */
  readonly identity?: Identity
  /** Key of a single call, as the client sent it and of any type. */
  readonly idempotencyKey?: unknown
}

/** A placeholder: the request goes to the application in process, never over the network. */
const origin = "http://belltower.internal"

/** The base of every GET: a new web request for each would cost more than all else here. */
const plainGet = HttpServerRequest.fromWeb(new Request(origin))

/** Builds the equivalent REST request. Rejects arguments that the path, or an operation without a body, cannot carry. */
const toRequest = (
  operation: Operation,
  given: Arguments,
  caller: Caller
): Either.Either<HttpServerRequest.HttpServerRequest, ValidationFailed> => {
  const pathNames = namesOf(operation.pathParams)
  const queryNames = namesOf(operation.query)
  const others = Object.keys(given).filter((name) => !pathNames.includes(name) && !queryNames.includes(name))
  const hasBody = Option.isSome(operation.payload)
  const rest = hasBody ? bodyNames(others, new Set(namesOf(operation.payload))) : others
  const issues = [
    ...keyIssue(caller.idempotencyKey),
    ...depthIssues(given),
    ...pathNames.flatMap((name) => pathIssue(name, given[name])),
    ...queryNames.flatMap((name) => queryIssue(operation.query, name, given[name])),
    ...(hasBody ? [] : unknownIssues(rest, [...pathNames, ...queryNames]))
  ]
  if (issues.length > 0) return Either.left(validationFailed(issues))
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(pathText(given[name])))
  const url = new URL(path, origin)
  for (const name of queryNames) {
    const value = given[name]
    if (value !== undefined && value !== null) url.searchParams.set(name, queryText(value))
  }
  const headers = {
    ...caller.headers,
    ...(typeof caller.idempotencyKey === "string" ? { "idempotency-key": caller.idempotencyKey } : {}),
    ...(hasBody ? { "content-type": "application/json" } : {})
  }
  if (operation.method === "GET") {
    return Either.right(plainGet.modify({ url: `${url.pathname}${url.search}`, headers: Headers.fromInput(headers) }))
  }
  return Either.right(HttpServerRequest.fromWeb(
    new Request(url, {
      method: operation.method,
      headers,
      ...(hasBody ? { body: JSON.stringify(Object.fromEntries(rest.map((name) => [name, given[name]]))) } : {})
    })
  ))
}

export interface Answered {
  readonly status: number
  readonly text: string
}

/** Encoded bodies need no web response, which costs more than all else here. */
const textOf = (response: HttpServerResponse.HttpServerResponse): Effect.Effect<string> =>
  response.body._tag === "Uint8Array"
    ? Effect.succeed(
      Buffer.from(response.body.body.buffer, response.body.body.byteOffset, response.body.body.byteLength).toString()
    )
    : Effect.promise(() => HttpServerResponse.toWeb(response).text())

/** Calls an operation for the caller. Failures are answers with the envelope of REST. */
export const callOperation = Effect.fnUntraced(function*(
  app: Application,
  operation: Operation,
  given: Arguments,
  caller: Caller
) {
  const converted = toRequest(operation, given, caller)
  if (Either.isLeft(converted)) {
    return { status: statusOf(converted.left), text: JSON.stringify(envelopeOf(converted.left)) } satisfies Answered
  }
  const plain = converted.right
  const request = caller.remoteAddress === undefined ? plain : plain.modify({ remoteAddress: caller.remoteAddress })
  const own = Context.make(HttpServerRequest.HttpServerRequest, request).pipe(
    Context.add(CallOrigin, { surface: caller.surface, ip: caller.remoteAddress ?? null }),
    Context.add(Authenticated, caller.identity ?? null)
  )
  const response = yield* Effect.provide(app, own)
  return { status: response.status, text: yield* textOf(response) } satisfies Answered
})
