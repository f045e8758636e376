/** Builds the whole interface as one app: every route with request parsing, metrics and the error envelope. */
import { HttpApiBuilder, type HttpApp, HttpRouter, HttpServerRequest, HttpServerRespondable } from "@effect/platform"
import { Chunk, Context, Effect, Option } from "effect"
import { BaseUrl } from "../../links/BaseUrl.ts"
import type { Guards } from "../guard/Guards.ts"
import { type Operation, operationAt } from "../openapi/Operations.ts"
import { validationFailed } from "../request/FieldIssues.ts"
import { isDecodeError, requestFields } from "../request/RequestFields.ts"
import { enveloped, respond } from "./Envelope.ts"
import { measured } from "./HttpMetrics.ts"
import { hasParameters, unrouted } from "./UnroutedPaths.ts"

type Route<E = unknown> = HttpRouter.Route<E, HttpRouter.HttpRouter.DefaultServices>

/** Normalizes an operation's requests before HttpApi decodes them. Callers are admitted before they learn what is wrong with a request. */
const parsed = (operation: Operation, guarded: (handler: Route["handler"]) => Route["handler"], own: Route["handler"]) => {
  const fields = requestFields(operation)
  const vetted: Route["handler"] = Effect.gen(function*() {
    const { params } = yield* HttpRouter.RouteContext
    yield* fields.vet(params, yield* HttpServerRequest.ParsedSearchParams)
    return yield* own
  })
  const handler = guarded(vetted)
  return Effect.gen(function*() {
    const given = yield* HttpServerRequest.ParsedSearchParams
    const { params } = yield* HttpRouter.RouteContext
    const { query, request } = yield* fields.normalised(yield* HttpServerRequest.HttpServerRequest, params, given)
    return yield* handler.pipe(
      Effect.catchIf(isDecodeError, (error) => {
        const issues = fields.issues(params, query)
        // Without issues, the response does not match its schema: a bug of the server.
        return issues.length === 0 ? Effect.die(error) : Effect.fail(validationFailed(issues))
      }),
      // One provide for both, because each provide copies the whole context.
      Effect.provide(
        Context.make(HttpServerRequest.HttpServerRequest, request).pipe(Context.add(HttpServerRequest.ParsedSearchParams, query))
      )
    )
  })
}

/** Wraps a route. Routes outside the registry are few and fixed, so their paths can be metric labels. */
const wrapped = (guards: Guards) => (route: Route): Route<never> => {
  const operation = operationAt(route)
  const handler = Option.match(operation, {
    onNone: () => route.handler,
    onSome: (known) => parsed(known, guards(known), route.handler)
  })
  const label = Option.match(operation, { onNone: () => route.path, onSome: ({ id }) => id })
  return HttpRouter.makeRoute(
    route.method,
    route.path,
    Effect.flatMap(handler, HttpServerRespondable.toResponse).pipe(enveloped, measured(label)),
    { prefix: Option.getOrUndefined(route.prefix), uninterruptible: route.uninterruptible }
  )
}

/** The app that the program serves at one address, and to callers inside the process. */
export type Application = HttpApp.Default<never, HttpRouter.HttpRouter.DefaultServices>

/** Builds the app from all routes registered so far and `more`; `guards` wrap the operations of the registry. */
export const makeApplication = Effect.fn("Application.make")(function*(
  guards: Guards,
  more: (interfaceApp: Application) => ReadonlyArray<Route> = () => []
) {
  const baseUrl = yield* BaseUrl
  const router = yield* HttpApiBuilder.Router.router
  const appOf = (routes: ReadonlyArray<Route>): Effect.Effect<Application> => {
    const failure = unrouted(routes, baseUrl)
    const missing = Effect.map(HttpServerRequest.HttpServerRequest, ({ method, url }) => respond(failure(method, url)))
    const notRouted = measured("unmatched")(missing)
    return HttpRouter.toHttpApp(HttpRouter.fromIterable(routes.map(wrapped(guards)))).pipe(
      // Case-sensitive, so a proxy rule for /metrics cannot be bypassed with /Metrics.
      HttpRouter.withRouterConfig({ caseSensitive: true }),
      Effect.map(Effect.catchTag("RouteNotFound", () => notRouted)),
      Effect.map((routed) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => hasParameters(url) ? notRouted : routed)
      )
    )
  }
  if (!Chunk.isEmpty(router.mounts)) return yield* Effect.dieMessage("Mounted apps are not served; add routes to the router")
  const own = Chunk.toReadonlyArray(router.routes)
  const inner = yield* appOf(own)
  return yield* appOf([...own, ...more(inner)])
})
