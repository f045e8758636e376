/** Adds handlers to the router. The `group` of the library decodes bodies again, and copies 150 services for each call. */
import {
  type HttpApi,
  HttpApiBuilder,
  type HttpApiGroup,
  HttpApiSchema,
  type HttpMethod,
  HttpRouter,
  HttpServerResponse
} from "@effect/platform"
import { Effect, type Layer, Option, type Schema, type Scope } from "effect"
import { Person, PersonAccess, type ReadAccess, type WriteAccess } from "../../../schema/api/Access.ts"
import { compiledEncoder } from "../../../schema/CompiledCodecs.ts"
import { type Operation, operationAt } from "../openapi/Operations.ts"
import type { CallHandler, OperationCall } from "../request/OperationCall.ts"
import { type RequestFields, requestFields } from "../request/RequestFields.ts"

interface HandlerInput {
  readonly request: OperationCall["request"]
  readonly path: unknown
  readonly urlParams: unknown
  readonly payload: unknown
}

type Handler = (input: HandlerInput) => Effect.Effect<unknown, unknown, HttpRouter.HttpRouter.Provided>

type Response = HttpServerResponse.HttpServerResponse

const responseOf = ({ ast }: Schema.Schema.Any): (answer: unknown) => Response => {
  const encode = compiledEncoder(ast)
  const status = HttpApiSchema.getStatusSuccessAST(ast)
  return (answer) =>
    HttpServerResponse.isServerResponse(answer) ? answer : HttpServerResponse.unsafeJson(encode(answer), { status })
}

/** How the calls of an operation's route are read and served. */
export interface Served {
  readonly fields: RequestFields
  /** Serves a call once its caller is admitted. */
  readonly handler: CallHandler
}

const served = new WeakMap<object, Served>()

/** How a route of the registry is served; none for other routes. */
export const servedBy = (route: object): Option.Option<Served> => Option.fromNullable(served.get(route))

/** Guards (`src/http/guard/Guards.ts`) admit callers with keys. Signed-in people are admitted here, before their request is read. */
type AdmitPerson = PersonAccess["Type"] | null

const serving = (operation: Operation, handler: Handler, success: Schema.Schema.Any, admitPerson: AdmitPerson): Served => {
  const fields = requestFields(operation)
  const respond = responseOf(success)
  const answer = (call: OperationCall) =>
    Effect.flatMap(
      fields.parts(call),
      ({ path, urlParams }) =>
        Effect.flatMap(call.body, ({ payload }) =>
          Effect.map(handler({ request: call.request, path, urlParams, payload }), respond))
    )
  const serve: CallHandler = (call) => Effect.suspend(() => Effect.flatMap(fields.vet(call), () => answer(call)))
  return {
    fields,
    handler: admitPerson === null ? serve : (call) => Effect.provideServiceEffect(serve(call), Person, admitPerson)
  }
}

/** Endpoints as this file needs them, whose types only their handlers use. */
interface Endpoint {
  readonly name: string
  readonly method: HttpMethod.HttpMethod
  readonly path: HttpRouter.PathInput
  readonly middlewares: ReadonlySet<unknown>
  readonly successSchema: Schema.Schema.Any
}
interface Group {
  readonly middlewares: ReadonlySet<unknown>
  readonly endpoints: Readonly<Record<string, Endpoint>>
}

const routeOf = ({ middlewares }: Group, endpoint: Endpoint, handler: Handler, admitPerson: AdmitPerson) => {
  const forPeople = middlewares.has(PersonAccess) || endpoint.middlewares.has(PersonAccess)
  if (forPeople && admitPerson === null) return Effect.dieMessage(`Nobody admits people to ${endpoint.name}`)
  return Effect.map(operationAt(endpoint), (operation) => {
    const route = HttpRouter.makeRoute(endpoint.method, endpoint.path, Effect.dieMessage("The application serves operations"))
    served.set(route, serving(operation, handler, endpoint.successSchema, forPeople ? admitPerson : null))
    return route
  })
}

/** Collects handlers as the library's `Handlers` do. */
const collector = (group: Group, add: (endpoint: Endpoint, handler: Handler) => void) => {
  const handle = (name: string, handler: Handler) => {
    const endpoint = group.endpoints[name]
    if (endpoint !== undefined) add(endpoint, handler)
    return collected
  }
  const collected = { group, handle, handleRaw: handle }
  return collected
}

type Build = (handlers: ReturnType<typeof collector>) => unknown

const layerOf = (api: { readonly groups: Readonly<Record<string, Group>> }, name: string, build: Build) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function*() {
      const group = api.groups[name]
      if (group === undefined) return yield* Effect.dieMessage(`No group ${name}`)
      const admitPerson = Option.getOrNull(yield* Effect.serviceOption(PersonAccess))
      const found: Array<readonly [Endpoint, Handler]> = []
      const built = build(collector(group, (endpoint, handler) => found.push([endpoint, handler])))
      if (Effect.isEffect(built)) yield* built
      const routes = yield* Effect.forEach(found, ([endpoint, handler]) => routeOf(group, endpoint, handler, admitPerson))
      yield* router.concat(HttpRouter.fromIterable(routes))
    })
  )

/** Services of a group besides those of its handlers; the guards provide the access of keys. */
type Needs<Groups extends HttpApiGroup.HttpApiGroup.Any, Name extends string, Return> = Exclude<
  HttpApiBuilder.Handlers.Context<Return> | HttpApiGroup.HttpApiGroup.MiddlewareWithName<Groups, Name>,
  Scope.Scope | ReadAccess | WriteAccess
>

/** In the place of `HttpApiBuilder.group`. A handler gets no services while it runs except those of the request. */
export const operationGroup = <
  ApiId extends string,
  Groups extends HttpApiGroup.HttpApiGroup.Any,
  E,
  R,
  const Name extends HttpApiGroup.HttpApiGroup.Name<Groups>,
  Return
>(
  api: HttpApi.HttpApi<ApiId, Groups, E, R>,
  name: Name,
  build: (
    handlers: HttpApiBuilder.Handlers.FromGroup<E, R, HttpApiGroup.HttpApiGroup.WithName<Groups, Name>>
  ) => HttpApiBuilder.Handlers.ValidateReturn<Return>
): Layer.Layer<HttpApiGroup.ApiGroup<ApiId, Name>, HttpApiBuilder.Handlers.Error<Return>, Needs<Groups, Name, Return>> =>
  Reflect.apply(layerOf, undefined, [api, name, build])
