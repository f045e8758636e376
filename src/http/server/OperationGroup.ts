/** Registers the handlers of a group of operations so that a call costs little: a small context, and an answer encoded once. */
import { HttpApiBuilder, HttpApiSchema, HttpServerResponse } from "@effect/platform"
import { type Context, Effect, Fiber, Option, type Schema } from "effect"
import { compiledEncoder } from "./CompiledCodecs.ts"

type Handler = (request: unknown) => Effect.Effect<unknown, unknown>

/** What `HttpApiBuilder` passes to the function that adds the handlers of a group. */
interface Handlers {
  readonly group: { readonly endpoints: Readonly<Record<string, { readonly successSchema: Schema.Schema.Any }>> }
}

/** The response of an answer; null where the library makes it: an empty one, or one of several statuses. */
const responseOf = ({ ast }: Schema.Schema.Any): ((answer: unknown) => HttpServerResponse.HttpServerResponse) | null => {
  if (ast._tag === "Union" || HttpApiSchema.isVoid(ast) || HttpApiSchema.getEncoding(ast).kind !== "Json") return null
  const encode = compiledEncoder(ast)
  const status = HttpApiSchema.getStatusSuccessAST(ast)
  return (answer) =>
    HttpServerResponse.isServerResponse(answer) ? answer : HttpServerResponse.unsafeJson(encode(answer), { status })
}

/**
 * The library runs a handler with all services that existed when its group was built, about 150, and every transaction in it would
 * copy them. Handlers got theirs when they were built, so this one runs with what the request brought.
 */
const withRequestOnly = (handler: Handler): Handler => (request) => {
  const own = Option.map(Fiber.getCurrentFiber(), ({ currentContext }): Context.Context<never> => currentContext)
  return Option.match(own, {
    onNone: () => handler(request),
    onSome: (context) => Effect.mapInputContext(handler(request), () => context)
  })
}

const lean = (handler: Handler, success: Schema.Schema.Any): Handler => {
  const run = withRequestOnly(handler)
  const respond = responseOf(success)
  return respond === null ? run : (request) => Effect.map(run(request), respond)
}

const call = (handlers: object, method: string, args: ReadonlyArray<unknown>): Handlers =>
  Reflect.apply(Reflect.get(handlers, method), handlers, args)

/** The same handlers, whose methods add lean ones. */
const leanly = <H extends Handlers>(handlers: H): H => {
  const adding = (method: "handle" | "handleRaw") => (name: string, handler: Handler, options: unknown) => {
    const endpoint = handlers.group.endpoints[name]
    const added = endpoint === undefined ? handler : lean(handler, endpoint.successSchema)
    return leanly(call(handlers, method, [name, added, options]))
  }
  return Object.create(handlers, { handle: { value: adding("handle") }, handleRaw: { value: adding("handleRaw") } })
}

/** In the place of `HttpApiBuilder.group`. A handler gets no services while it runs except those of the request. */
export const operationGroup: typeof HttpApiBuilder.group = (api, name, build) =>
  HttpApiBuilder.group(api, name, (handlers) => build(leanly(handlers)))
