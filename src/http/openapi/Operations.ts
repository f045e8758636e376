/** The registry's operations as plain records: what parsing, metrics, OpenAPI, MCP and the contract test derive from. */
import { HttpApi, type HttpApiMiddleware, HttpMethod, OpenApi } from "@effect/platform"
import { Array, Context, Option, Schema } from "effect"
import { LeastRole, ReadAccess, WriteAccess } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ReachesOut } from "../../../schema/api/Hints.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"

/** What a caller needs: nothing, any key, or a key with the write scope. */
type OperationScope = "public" | "read" | "write"

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
  /** The least role of a caller; a key needs the scope besides. */
  readonly leastRole: Role
  /** Whether it makes a call to somewhere beyond this service. */
  readonly reachesOut: boolean
  /** The status of success. */
  readonly success: number
  readonly summary: string
  readonly description: string | null
  readonly pathParams: Option.Option<PartSchema>
  readonly query: Option.Option<PartSchema>
  readonly payload: Option.Option<PartSchema>
  /** The statuses of the errors it declares. */
  readonly errors: ReadonlyArray<number>
  /** Whether it is for people who are signed in alone, and so on no other surface. */
  readonly unlisted: boolean
}

/** The scope follows from the access middleware; there is no second list of it. */
const scopeOf = (middleware: ReadonlySet<HttpApiMiddleware.TagClassAny>): OperationScope => {
  const keys = new Set(globalThis.Array.from(middleware, (tag) => tag.key))
  return keys.has(WriteAccess.key) ? "write" : keys.has(ReadAccess.key) ? "read" : "public"
}

const part = (schema: Option.Option<Schema.Schema.All>): Option.Option<PartSchema> =>
  Option.map(schema, ({ ast }) => Schema.make(ast))

/** Every registered operation, in the order of the registry: what is parsed and measured. */
const allOperations: ReadonlyArray<Operation> = (() => {
  const found: globalThis.Array<Operation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, mergedAnnotations, middleware, successes }) => {
      const scope = scopeOf(middleware)
      found.push({
        id: endpoint.name,
        group: group.identifier,
        method: endpoint.method,
        path: endpoint.path,
        scope,
        leastRole: Context.get(endpoint.annotations, LeastRole) ?? (scope === "write" ? "member" : "viewer"),
        reachesOut: Context.get(endpoint.annotations, ReachesOut),
        success: Option.getOrElse(Array.head([...successes.keys()]), () => 200),
        summary: Context.getOrElse(mergedAnnotations, OpenApi.Summary, () => endpoint.name),
        description: Option.getOrNull(Context.getOption(endpoint.annotations, OpenApi.Description)),
        pathParams: part(endpoint.pathSchema),
        query: part(endpoint.urlParamsSchema),
        payload: HttpMethod.hasBody(endpoint.method) ? part(endpoint.payloadSchema) : Option.none(),
        errors: [...errors.keys()],
        unlisted: Context.getOrElse(group.annotations, OpenApi.Exclude, () => false)
      })
    }
  })
  return found
})()

/** Those that keys can call or nobody needs to: what OpenAPI, MCP and the contract test tell of. */
export const operations: ReadonlyArray<Operation> = allOperations.filter(({ unlisted }) => !unlisted)

const byRoute = new Map(allOperations.map((operation) => [`${operation.method} ${operation.path}`, operation]))

/** The operation that a route of the router serves, if it is one of the registry's. */
export const operationAt = (route: { readonly method: string; readonly path: string }): Option.Option<Operation> =>
  Option.fromNullable(byRoute.get(`${route.method} ${route.path}`))
