/** The registry's operations as plain records. Parsing, metrics, OpenAPI, MCP and the contract test derive from them. */
import { HttpApi, HttpMethod, OpenApi } from "@effect/platform"
import { Context, Option, Schema } from "effect"
import { LeastRole, ReadAccess, WriteAccess } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { AddressLimit } from "../../../schema/api/parts/AddressLimit.ts"
import {
  EndsWithCaller,
  Hinted,
  LargestBody,
  OneTransaction,
  OtherForm,
  PrivateAnswer,
  ReachesOut,
  ReachesOutWith,
  TextOfPrograms
} from "../../../schema/api/parts/Hints.ts"

/** The schema of a part of the request; only the handler uses the decoded type. */
export type PartSchema = Schema.Schema<unknown, unknown>

/** An endpoint as reflection shows it. */
type Endpoint = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]

/** The access that an operation requires: none, any key, or a key with the write scope. Its middleware declares it. */
const scopeOf = (middleware: Endpoint["middleware"]): "public" | "read" | "write" => {
  const keys = new Set(Array.from(middleware, (tag) => tag.key))
  return keys.has(WriteAccess.key) ? "write" : keys.has(ReadAccess.key) ? "read" : "public"
}

const part = (schema: Option.Option<Schema.Schema.All>): Option.Option<PartSchema> =>
  Option.map(schema, ({ ast }) => Schema.make(ast))

const operationOf = ({ endpoint, errors, group, mergedAnnotations, middleware, successes }: Endpoint) => {
  const { annotations, method } = endpoint
  const scope = scopeOf(middleware)
  const unlisted = Context.getOrElse(group.annotations, OpenApi.Exclude, () => false)
  const [[success, { ast: answer }] = [200, { ast: Option.none() }] as const] = successes
  return {
    /** The name on every surface: operationId, MCP tool, metric label. */
    id: endpoint.name,
    group: group.identifier,
    method,
    /** In the router's syntax: `/api/v1/monitors/:id`. */
    path: endpoint.path,
    scope,
    /** The minimum role of the caller; a key also needs the scope. */
    leastRole: Context.get(annotations, LeastRole) ?? (scope === "write" ? "member" : "viewer"),
    reachesOut: Context.get(annotations, ReachesOut),
    /** The body's flag that makes it call other systems; null if there is none. */
    reachesOutWith: Context.get(annotations, ReachesOutWith),
    /** The effects that agents read, beside those of its method and `reachesOut`. */
    hints: Context.get(annotations, Hinted),
    /** Whether its changes and its audit entry are one transaction. */
    oneTransaction: Context.get(annotations, OneTransaction),
    /** Whether its answer is for its caller only. Operations without a key concern the person. */
    privateAnswer: Context.get(annotations, PrivateAnswer) || unlisted,
    endsWithCaller: Context.get(annotations, EndsWithCaller),
    /** The status of a successful response. */
    success,
    /** The content type of another form of its answer; null for none. */
    otherForm: Context.get(annotations, OtherForm),
    /** The largest body that it takes, in bytes; null for the limit of all others. */
    largestBody: Context.get(annotations, LargestBody),
    /** Accepts any text as a body and keeps this many characters as the message; null if bodies must be valid. */
    textOfPrograms: Context.get(annotations, TextOfPrograms),
    /** How often one address may call it; null without such a limit. */
    addressLimit: Context.get(annotations, AddressLimit),
    summary: Context.getOrElse(mergedAnnotations, OpenApi.Summary, () => endpoint.name),
    description: Option.getOrNull(Context.getOption(annotations, OpenApi.Description)),
    pathParams: part(endpoint.pathSchema),
    query: part(endpoint.urlParamsSchema),
    payload: HttpMethod.hasBody(method) ? part(endpoint.payloadSchema) : Option.none(),
    /** The body of a successful response. */
    answer: Option.map(answer, (ast): PartSchema => Schema.make(ast)),
    errors: [...errors.keys()],
    /** Whether it is only for signed-in people, and so excluded from all other surfaces. */
    unlisted
  }
}

export interface Operation extends Readonly<ReturnType<typeof operationOf>> {}

/** Every registered operation in registry order, including unlisted ones; used for parsing and metrics. */
export const allOperations: ReadonlyArray<Operation> = (() => {
  const found: Array<Operation> = []
  HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: (endpoint) => found.push(operationOf(endpoint)) })
  return found
})()

/** The operations that are public or callable with a key; used by OpenAPI, MCP and the contract test. */
export const operations: ReadonlyArray<Operation> = allOperations.filter(({ unlisted }) => !unlisted)

export const isIdempotent = ({ method, scope }: Operation): boolean => method === "POST" && scope !== "public"

const byRoute = new Map(allOperations.map((operation) => [`${operation.method} ${operation.path}`, operation]))

/** The operation that a route serves; none for routes outside the registry. */
export const operationAt = (route: { readonly method: string; readonly path: string }): Option.Option<Operation> =>
  Option.fromNullable(byRoute.get(`${route.method} ${route.path}`))
