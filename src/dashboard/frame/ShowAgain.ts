/** Reads a posted form, and shows its view again in answer, with the typed values and the result. */
import { type HttpApp, HttpRouter, type HttpServerError, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Context, Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { NotFound, ValidationFailed } from "../../../schema/Errors.ts"
import { postedText } from "../Forms.ts"
import { operationById } from "./DashboardApi.ts"
import type { Notice, Submitted, VisitData } from "./Visit.ts"

/** The result of the posted form, for the view that is shown again. */
export class Posted extends Context.Reference<Posted>()("belltower/Posted", {
  defaultValue: (): Pick<VisitData, "submitted" | "notice"> & { readonly postedIn: string | null } => ({
    submitted: null,
    notice: null,
    postedIn: null
  })
}) {}

const askedIn = ({ url }: HttpServerRequest.HttpServerRequest) => new URL(url, "http://belltower.internal").searchParams

/** `back` is the path and query of the view. A form that is done has nothing to keep, so its `submitted` is null. */
export const makeShowAgain =
  (viewsApp: HttpApp.Default<HttpServerError.RouteNotFound, HttpRouter.HttpRouter.DefaultServices>) =>
  (back: string, submitted: Submitted | null, notice: Notice | null = null) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const postedIn = askedIn(request).get("workspace")
      const response = yield* viewsApp.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request.modify({ url: back })),
        Effect.provideService(Posted, { submitted, notice, postedIn }),
        Effect.catchTag("RouteNotFound", () => new NotFound({ message: "No such view" }))
      )
      const status = submitted?.refused?.status ?? null
      return status === null ? response : HttpServerResponse.setStatus(response, status)
    })

export type ShowAgain = ReturnType<typeof makeShowAgain>

/** A path of the dashboard. */
export const InDashboard = Schema.String.pipe(Schema.pattern(/^\/app(?:[/?][^\\]*)?$/))

const notOurs = new ValidationFailed({
  message: "This form is not one of the dashboard",
  hint: "Reload the page and try again"
})

export const postedOperation = Effect.flatMap(HttpRouter.params, ({ operation = "" }) => {
  const found = operationById.get(operation)
  return found === undefined ? new NotFound({ message: "No such operation" }) : Effect.succeed(found)
})

/** The form's key with all that it says: sent twice, it runs once; after "Back", with other values, it is another request. */
const keyOf = (fields: URLSearchParams) =>
  fields.has("_key") ? { _key: createHash("sha256").update(fields.toString()).digest("base64url") } : {}

/** The posted fields; `own` are those about the form itself, which its address may give, too. */
export const postedForm = <A, I>(own: Schema.Schema<A, I>, limit: number | null = null) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const fields = new URLSearchParams(yield* postedText(limit))
    const asked = askedIn(request)
    const given = { ...Object.fromEntries(fields), ...Object.fromEntries(asked), ...keyOf(fields) }
    return { url: request.url, fields, asked, own: yield* Effect.mapError(Schema.decodeUnknown(own)(given), () => notOurs) }
  })

export const typedOf = (fields: URLSearchParams): Submitted["typed"] =>
  new Map([...fields.keys()].map((name) => [name, fields.getAll(name)]))
