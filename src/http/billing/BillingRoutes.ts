/** Where the payment provider tells of subscriptions: POST /billing/stripe, outside the registry. */
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { Unavailable } from "../../../schema/Errors.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { takeNotice } from "../../external/billing/TakeNotice.ts"
import { Subscriptions } from "../../store/billing/Subscriptions.ts"
import { readText } from "../request/RequestBody.ts"

/** Of a notice that comes while billing is not set up, the provider tells again. */
export const notConfigured = new Unavailable({
  message: "Billing is not configured in this deployment",
  hint: "Nothing is limited here, or the operator has yet to set STRIPE_SECRET_KEY"
})

const receive = Effect.gen(function*() {
  const provider = yield* Billing
  if (provider === null) return yield* notConfigured
  const request = yield* HttpServerRequest.HttpServerRequest
  // Text as it came: bytes that are no UTF-8 would be replaced, and fail the signature.
  const notice = yield* provider.notice(yield* readText(request), request.headers["stripe-signature"] ?? "")
  yield* takeNotice(provider, notice)
  return HttpServerResponse.unsafeJson({ received: true })
})

export const layer: Layer.Layer<never, never, Subscriptions> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const subscriptions = yield* Subscriptions
    const provider = yield* Billing
    yield* router.post(
      "/billing/stripe",
      receive.pipe(
        Effect.provideService(Subscriptions, subscriptions),
        Effect.provideService(Billing, provider)
      )
    )
  })
)
