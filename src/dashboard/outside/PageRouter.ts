/** Adds dashboard pages to the router, provides the operations they call, reads their parameters, and turns failures into pages. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import type { BaseUrl } from "../../links/BaseUrl.ts"
import type { Links } from "../../links/Links.ts"
import type { Authenticate } from "../../operations/access/Authenticate.ts"
import { fromDashboard } from "../../operations/access/CallOrigin.ts"
import type { layer as operations } from "../../operations/Operations.ts"
import { goTo } from "../Forms.ts"
import { answered } from "./Reply.ts"

type PageNeeds = Layer.Layer.Success<typeof operations> | Authenticate | BaseUrl | Links

type Handler<E> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  PageNeeds | HttpRouter.HttpRouter.Provided | HttpRouter.HttpRouter.DefaultServices
>

interface PageRouter {
  readonly get: <E>(path: `/${string}`, handler: Handler<E>) => Effect.Effect<void>
  /** Redirects a path without a page of its own to `page`, which has its form. */
  readonly post: <E>(path: `/${string}`, handler: Handler<E>, page?: `/${string}`) => Effect.Effect<void>
}

const filled = (path: string, params: Readonly<Record<string, string | undefined>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))

export const pages = (add: (router: PageRouter) => Effect.Effect<void>): Layer.Layer<never, never, PageNeeds> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.flatMap(Effect.context<PageNeeds>(), (context) => {
      const page = <E>(handler: Handler<E>) => answered(handler).pipe(Effect.provide(context), fromDashboard)
      return add({
        get: (path, handler) => router.get(path, page(handler)),
        post: (path, handler, back) =>
          Effect.zipRight(
            router.post(path, page(handler)),
            back === undefined
              ? Effect.void
              : router.get(path, page(Effect.map(HttpRouter.params, (params) => goTo(filled(back, params)))))
          )
      })
    })
  )

/** A query parameter; null if it is missing or repeated. */
export const queryParam = (name: string) =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (query) => {
    const value = query[name]
    return typeof value === "string" ? value : null
  })

/** A path parameter; empty if the route has none of this name. */
export const param = (name: string) => Effect.map(HttpRouter.params, (params) => params[name] ?? "")
