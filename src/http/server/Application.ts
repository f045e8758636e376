/** Builds the whole interface as one app: every route with request parsing, metrics and the error envelope. */
import { HttpApiBuilder, type HttpApp, HttpRouter, HttpServerRequest, HttpServerRespondable } from "@effect/platform"
import { Chunk, Effect, Option } from "effect"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { pingRoutes } from "../monitor/PingAddress.ts"
import { enveloped, respond } from "./Envelope.ts"
import { measured } from "./HttpMetrics.ts"
import { routeRequests } from "./RouteRequests.ts"
import { makeTraceRequest, type TraceRequest } from "./TraceRequest.ts"
import { asksForPage, hasParameters, missingPage, unrouted } from "./UnroutedPaths.ts"

type Route<E = unknown> = HttpRouter.Route<E, HttpRouter.HttpRouter.DefaultServices>

/** The answer of a route and the label of its metrics. */
interface Answer {
  readonly label: string
  readonly answer: HttpApp.Default<unknown, HttpRouter.HttpRouter.Provided | HttpRouter.HttpRouter.DefaultServices>
}

/** How a route of the registry answers; none for other routes. */
export type AnswerOf = (route: Route) => Option.Option<Answer>

export const plainAnswer = (route: Route) => Effect.flatMap(route.handler, HttpServerRespondable.toResponse)

/** Wraps a route. Routes outside the registry are few and fixed, so their paths can be metric labels. */
const wrapped = (answerOf: AnswerOf, traced: TraceRequest) => (route: Route) => {
  const { answer: answered, label } = Option.getOrElse(answerOf(route), () => ({ label: route.path, answer: plainAnswer(route) }))
  // Inside the trace, which the histogram of durations names.
  const measuring = measured(label)(enveloped(answered))
  const answer = traced({ method: route.method, path: route.path, operation: label }, measuring)
  return { route: HttpRouter.makeRoute(route.method, route.path, answer, { uninterruptible: route.uninterruptible }), answer }
}

/** The app that the program serves at one address, and to callers inside the process. */
export type Application = HttpApp.Default<never, HttpRouter.HttpRouter.DefaultServices>

/** Builds the app from all routes registered so far and `more`. */
export const makeApplication = Effect.fn("Application.make")(function*(
  answerOf: AnswerOf,
  more: (interfaceApp: Application) => ReadonlyArray<Route> = () => []
) {
  const baseUrl = yield* BaseUrl
  const traced = yield* makeTraceRequest
  const router = yield* HttpApiBuilder.Router.router
  const appOf = (routes: ReadonlyArray<Route>): Application => {
    const failure = unrouted([...routes, ...pingRoutes], baseUrl)
    const missing = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const found = failure(request.method, request.url)
      return found._tag === "not_found" && asksForPage(request) ? missingPage(request) : Effect.succeed(respond(found))
    })
    return routeRequests(routes.map(wrapped(answerOf, traced)), hasParameters, measured("unmatched")(missing))
  }
  const own = Chunk.toReadonlyArray(router.routes)
  if (!Chunk.isEmpty(router.mounts) || own.some(({ prefix }) => Option.isSome(prefix))) {
    return yield* Effect.dieMessage("Mounted apps and prefixes are not served; add routes to the router")
  }
  const inner = appOf(own)
  return appOf([...own, ...more(inner)])
})
