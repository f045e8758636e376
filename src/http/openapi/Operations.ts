/** The registry's operations as plain records. Parsing, metrics, OpenAPI, MCP and the contract test derive from them. */
import { HttpApi, type HttpApiMiddleware, HttpMethod, OpenApi } from "@effect/platform"
import { Context, Option, Schema } from "effect"
import { LeastRole, ReadAccess, WriteAccess } from "../../../schema/api/Access.ts"
import { AddressLimit, type AddressRate } from "../../../schema/api/AddressLimit.ts"
import { Api } from "../../../schema/api/Api.ts"
import {
  EndsWithCaller,
  LargestBody,
  OneTransaction,
  PrivateAnswer,
  ReachesOut,
  ReachesOutWith,
  TextOfPrograms
} from "../../../schema/api/Hints.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"

/** The access an operation requires: none, any key, or a key with the write scope. */
type OperationScope = "public" | "read" | "write"

/** The schema of a part of the request; only the handler uses the decoded type. */
export type PartSchema = Schema.Schema<unknown, unknown>

export interface Operation {
  /** The name on every surface: operationId, MCP tool, metric label. */
  readonly id: string
  readonly group: string
  readonly method: HttpMethod.HttpMethod
  /** In the router's syntax: `/api/v1/monitors/:id`. */
  readonly path: `/${string}`
  readonly scope: OperationScope
  /** The minimum role of the caller; a key also needs the scope. */
  readonly leastRole: Role
  /** Whether it calls systems outside this service. */
  readonly reachesOut: boolean
  /** The body's flag that makes it call other systems; null if there is none. */
  readonly reachesOutWith: string | null
  /** Whether its changes and its audit entry are one transaction. */
  readonly oneTransaction: boolean
  /** Whether its answer is for its caller only. */
  readonly privateAnswer: boolean
  /** Whether it ends when its caller leaves. */
  readonly endsWithCaller: boolean
  /** The largest body that it takes, in bytes; null for the limit of all others. */
  readonly largestBody: number | null
  /** Accepts any text as a body and keeps this many characters as the message; null if bodies must be valid. */
  readonly textOfPrograms: number | null
  /** How often one address may call it; null without such a limit. */
  readonly addressLimit: AddressRate | null
  /** The status of a successful response. */
  readonly success: number
  readonly summary: string
  readonly description: string | null
  readonly pathParams: Option.Option<PartSchema>
  readonly query: Option.Option<PartSchema>
  readonly payload: Option.Option<PartSchema>
  /** The body of a successful response. */
  readonly answer: Option.Option<PartSchema>
  /** The statuses of its declared errors. */
  readonly errors: ReadonlyArray<number>
  /** Whether it is only for signed-in people, and so excluded from all other surfaces. */
  readonly unlisted: boolean
}

/** Derives the scope from the access middleware, so it is declared only once. */
const scopeOf = (middleware: ReadonlySet<HttpApiMiddleware.TagClassAny>): OperationScope => {
  const keys = new Set(Array.from(middleware, (tag) => tag.key))
  return keys.has(WriteAccess.key) ? "write" : keys.has(ReadAccess.key) ? "read" : "public"
}

const part = (schema: Option.Option<Schema.Schema.All>): Option.Option<PartSchema> =>
  Option.map(schema, ({ ast }) => Schema.make(ast))

/** Every registered operation in registry order, including unlisted ones; used for parsing and metrics. */
export const allOperations: ReadonlyArray<Operation> = (() => {
  const found: Array<Operation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, mergedAnnotations, middleware, successes }) => {
      const unlisted = Context.getOrElse(group.annotations, OpenApi.Exclude, () => false)
      const scope = scopeOf(middleware)
      const [success = [200, { ast: Option.none() }] as const] = successes
      found.push({
        id: endpoint.name,
        group: group.identifier,
        method: endpoint.method,
        path: endpoint.path,
        scope,
        leastRole: Context.get(endpoint.annotations, LeastRole) ?? (scope === "write" ? "member" : "viewer"),
        reachesOut: Context.get(endpoint.annotations, ReachesOut),
        reachesOutWith: Context.get(endpoint.annotations, ReachesOutWith),
        oneTransaction: Context.get(endpoint.annotations, OneTransaction),
        // Operations without a key concern the person.
        privateAnswer: Context.get(endpoint.annotations, PrivateAnswer) || unlisted,
        endsWithCaller: Context.get(endpoint.annotations, EndsWithCaller),
        success: success[0],
        largestBody: Context.get(endpoint.annotations, LargestBody),
        textOfPrograms: Context.get(endpoint.annotations, TextOfPrograms),
        addressLimit: Context.get(endpoint.annotations, AddressLimit),
        summary: Context.getOrElse(mergedAnnotations, OpenApi.Summary, () => endpoint.name),
        description: Option.getOrNull(Context.getOption(endpoint.annotations, OpenApi.Description)),
        pathParams: part(endpoint.pathSchema),
        query: part(endpoint.urlParamsSchema),
        payload: HttpMethod.hasBody(endpoint.method) ? part(endpoint.payloadSchema) : Option.none(),
        answer: Option.map(success[1].ast, (ast) => Schema.make(ast)),
        errors: [...errors.keys()],
        unlisted
      })
    }
  })
  return found
})()

/** The operations that are public or callable with a key; used by OpenAPI, MCP and the contract test. */
export const operations: ReadonlyArray<Operation> = allOperations.filter(({ unlisted }) => !unlisted)

/** Whether the operation accepts an idempotency key. */
export const isIdempotent = ({ method, scope }: Operation): boolean => method === "POST" && scope !== "public"

const byRoute = new Map(allOperations.map((operation) => [`${operation.method} ${operation.path}`, operation]))

/** The operation that a route serves; none for routes outside the registry. */
export const operationAt = (route: { readonly method: string; readonly path: string }): Option.Option<Operation> =>
  Option.fromNullable(byRoute.get(`${route.method} ${route.path}`))
