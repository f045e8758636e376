/** Reads path and query parameters of a page. */
import { HttpRouter, HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"

/** A query parameter; null if it is missing or repeated. */
export const queryParam = (name: string) =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (query) => {
    const value = query[name]
    return typeof value === "string" ? value : null
  })

/** A path parameter; empty if the route has none of this name. */
export const param = (name: string) => Effect.map(HttpRouter.params, (params) => params[name] ?? "")
