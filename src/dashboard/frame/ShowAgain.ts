/** Shows the view of a form again in answer to its POST, with the typed values and the result. */
import { type HttpApp, type HttpRouter, type HttpServerError, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, Schema } from "effect"
import { NotFound, ValidationFailed } from "../../../schema/Errors.ts"
import type { Notice, Submitted } from "./Visit.ts"

interface JustPosted {
  readonly submitted: Submitted | null
  readonly notice: Notice | null
}

/** The result of the posted form, for the view that is shown again. */
export class Posted extends Context.Reference<Posted>()("belltower/Posted", {
  defaultValue: (): JustPosted => ({ submitted: null, notice: null })
}) {}

export type ViewsApp = HttpApp.Default<HttpServerError.RouteNotFound, HttpRouter.HttpRouter.DefaultServices>

/** `back` is the path and query of the view. A form that is done has nothing to keep, so its `submitted` is null. */
export const makeShowAgain = (viewsApp: ViewsApp) => (back: string, submitted: Submitted | null, notice: Notice | null = null) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const response = yield* viewsApp.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request.modify({ url: back })),
      Effect.provideService(Posted, { submitted, notice }),
      Effect.catchTag("RouteNotFound", () => new NotFound({ message: "No such view" }))
    )
    const status = submitted?.refused?.status ?? null
    return status === null ? response : HttpServerResponse.setStatus(response, status)
  })

export type ShowAgain = ReturnType<typeof makeShowAgain>

/** A place in the dashboard. */
export const InDashboard = Schema.String.pipe(Schema.pattern(/^\/app(?:[/?][^\\]*)?$/))

export const notOurs = new ValidationFailed({
  message: "This form is not one of the dashboard",
  hint: "Reload the page and try again"
})

/** Typed values by field name. */
export const typedOf = (fields: URLSearchParams): Submitted["typed"] =>
  new Map([...fields.keys()].map((name) => [name, fields.getAll(name)]))
