/** The registry's operations as plain records: what parsing, metrics, OpenAPI, MCP and the contract test derive from. */
import { HttpApi, type HttpApiMiddleware, HttpMethod, OpenApi } from "@effect/platform"
import { Array, Context, Option, Schema } from "effect"
import { ReadAccess, WriteAccess } from "../../schema/api/Access.ts"
import { Api } from "../../schema/api/Api.ts"

/** What a caller needs: nothing, any key, or a key with the write scope. */
export type OperationScope = "public" | "read" | "write"

/** The schema of a part of the request; what comes of it is the handler's business. */
export type PartSchema = Schema.Schema<unknown, unknown>

export interface Operation {
  /** The name on every surface: operationId, MCP tool, metric label. */
  readonly id: string
  readonly group: string
  readonly method: HttpMethod.HttpMethod
  /** As the router has it: `/api/v1/monitors/:id`. */
  readonly path: `/${string}`
  readonly scope: OperationScope
  /** The status of success. */
  readonly success: number
  readonly summary: string
  readonly description: string | null
  readonly pathParams: Option.Option<PartSchema>
  readonly query: Option.Option<PartSchema>
  readonly payload: Option.Option<PartSchema>
  /** The statuses of the errors it declares. */
  readonly errors: ReadonlyArray<number>
}

/** The scope follows from the access middleware; there is no second list of it. */
export const scopeOf = (middleware: ReadonlySet<HttpApiMiddleware.TagClassAny>): OperationScope => {
  const keys = new Set(globalThis.Array.from(middleware, (tag) => tag.key))
  return keys.has(WriteAccess.key) ? "write" : keys.has(ReadAccess.key) ? "read" : "public"
}

const part = (schema: Option.Option<Schema.Schema.All>): Option.Option<PartSchema> =>
  Option.map(schema, ({ ast }) => Schema.make(ast))

/** Every registered operation, in the order of the registry. */
export const operations: ReadonlyArray<Operation> = (() => {
  const found: globalThis.Array<Operation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, mergedAnnotations, middleware, successes }) => {
      found.push({
        id: endpoint.name,
        group: group.identifier,
        method: endpoint.method,
        path: endpoint.path,
        scope: scopeOf(middleware),
        success: Option.getOrElse(Array.head([...successes.keys()]), () => 200),
        summary: Context.getOrElse(mergedAnnotations, OpenApi.Summary, () => endpoint.name),
        description: Option.getOrNull(Context.getOption(endpoint.annotations, OpenApi.Description)),
        pathParams: part(endpoint.pathSchema),
        query: part(endpoint.urlParamsSchema),
        payload: HttpMethod.hasBody(endpoint.method) ? part(endpoint.payloadSchema) : Option.none(),
        errors: [...errors.keys()]
      })
    }
  })
  return found
})()

const byRoute = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))

/** The operation that a route of the router serves, if it is one of the registry's. */
export const operationAt = (route: { readonly method: string; readonly path: string }): Option.Option<Operation> =>
  Option.fromNullable(byRoute.get(`${route.method} ${route.path}`))
