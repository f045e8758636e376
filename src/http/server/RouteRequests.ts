/**
 * Finds the route of each request, and runs it with the values of its path and query. The library's router does the same, and takes 30
 * steps to hand them over.
 */
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Context, Effect, type Scope } from "effect"
import { make } from "find-my-way-ts"
import { keepingServices } from "../../loops/WithServices.ts"

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

export interface AnsweredRoute<R> {
  readonly route: HttpRouter.Route<never, R>
  readonly answer: Answer<R>
}

/** Services that routes get here, and the scope that the listener has given the request. */
type Given = HttpRouter.RouteContext | HttpServerRequest.ParsedSearchParams | Scope.Scope

type OfRequest = HttpServerRequest.HttpServerRequest

/** Characters of one segment of a path. The longest are links that name a recipient by an address (RFC 5321: 254), signed. */
export const longestParameter = 512

/** `missing` answers requests whose address or method has no route. */
export function routeRequests<R>(
  routes: ReadonlyArray<AnsweredRoute<R>>,
  isMissing: (url: string) => boolean,
  missing: Answer<OfRequest>
): Answer<Exclude<R, Given> | OfRequest>
export function routeRequests(
  routes: ReadonlyArray<AnsweredRoute<OfRequest>>,
  isMissing: (url: string) => boolean,
  missing: Answer<OfRequest>
): Answer<OfRequest> {
  // Case-sensitive, so a proxy rule for /metrics cannot be bypassed with /Metrics.
  const table = make<AnsweredRoute<OfRequest>>({ caseSensitive: true, maxParamLength: longestParameter })
  for (const one of routes) {
    if (one.route.method === "*") table.all(one.route.path, one)
    else table.on(one.route.method, one.route.path, one)
  }
  const find = (method: string, url: string) =>
    table.find(method, url) ?? (method === "HEAD" ? table.find("GET", url) : undefined)
  return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
    const found = isMissing(url) ? undefined : find(method, url)
    if (found === undefined) return missing
    const { handler: { answer, route }, params, searchParams } = found
    const context: HttpRouter.RouteContext = { [HttpRouter.RouteContextTypeId]: HttpRouter.RouteContextTypeId, params, route }
    const services = Context.make(HttpServerRequest.ParsedSearchParams, searchParams).pipe(
      Context.add(HttpRouter.RouteContext, context)
    )
    return keepingServices(route.uninterruptible ? answer : Effect.interruptible(answer), services)
  })
}
