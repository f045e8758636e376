/** Reads the parameters of a page's address. */
import { HttpRouter, HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"

/** A value of the query; null when it is missing or comes more than once. */
export const asked = (name: string) =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (query) => {
    const value = query[name]
    return typeof value === "string" ? value : null
  })

/** A parameter of the path. */
export const param = (name: string) => Effect.map(HttpRouter.params, (params) => params[name] ?? "")
