/** Stripe as the payment provider: Checkout, the customer portal, subscriptions and signed webhooks. */
import { Clock, Data, DateTime, Effect, Option, Redacted, Schema } from "effect"
import Stripe from "stripe"
import { PaidPlan, SubscriptionStatus } from "../../../schema/billing/Billing.ts"
import { BadRequest, Unavailable } from "../../../schema/Errors.ts"
import { WorkspaceId } from "../../../schema/Ids.ts"
import type { Notice, Order, PaymentProvider, ProviderSubscription } from "./Billing.ts"

export interface StripeSettings {
  readonly secretKey: Redacted.Redacted
  readonly webhookSecret: Redacted.Redacted
  /** The price ids of each plan: the first is the current price, the others are former prices that still map to the plan. */
  readonly prices: Readonly<Record<PaidPlan, ReadonlyArray<string>>>
  /** The base URL of the API, which can differ from Stripe's own. */
  readonly apiUrl: string
}

/** The metadata key for the workspace id of a subscription. Only holders of the secret key can write metadata. */
const workspaceKey = "belltower_workspace"

/** Maximum age of a signature, Stripe's default, in seconds. */
const toleranceSec = 300

const providerUnavailable = new Unavailable({
  message: "The payment provider is not responding as expected",
  hint: "Try again in a minute"
})

const badSignature = new BadRequest({ message: "The payment provider's signature is invalid or older than 5 minutes" })

const clientOf = ({ apiUrl, secretKey }: StripeSettings) => {
  const { hostname, port, protocol } = new URL(apiUrl)
  return new Stripe(Redacted.value(secretKey), {
    host: hostname,
    port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port),
    protocol: protocol === "http:" ? "http" : "https",
    timeout: 10_000,
    maxNetworkRetries: 1,
    telemetry: false
  })
}

const idOf = (one: string | { readonly id: string }): string => (typeof one === "string" ? one : one.id)

/** Safe to log: Stripe's messages contain ids and parameters, and at most the last characters of a key. */
class StripeRefused extends Data.TaggedError("StripeRefused")<{ readonly message: string; readonly status: number | null }> {}

const refusedBy = (error: unknown) =>
  error instanceof Stripe.errors.StripeError
    ? new StripeRefused({ message: error.message, status: error.statusCode ?? null })
    : new StripeRefused({ message: String(error), status: null })

/** Calls Stripe; a 404 becomes none. */
const asking = <A>(what: string, ask: () => Promise<A>): Effect.Effect<Option.Option<A>, Unavailable> =>
  Effect.tryPromise({ try: ask, catch: refusedBy }).pipe(
    Effect.asSome,
    Effect.catchIf(({ status }) => status === 404, () => Effect.succeedNone),
    Effect.tapError(({ message }) => Effect.logWarning(`Stripe: ${what} failed: ${message}`)),
    Effect.mapError(() => providerUnavailable)
  )

const instant = (seconds: number): DateTime.Utc => DateTime.unsafeMake(seconds * 1000)

const isStatus = Schema.is(SubscriptionStatus)

const subscriptionOf = (
  { cancel_at, cancel_at_period_end, created, customer, id, items, metadata, status }: Stripe.Subscription,
  prices: StripeSettings["prices"]
): ProviderSubscription => {
  const priceIds = items.data.map((item) => item.price.id)
  const renewal = items.data[0]?.current_period_end
  return {
    id,
    customerId: idOf(customer),
    workspaceId: metadata[workspaceKey] === undefined ? null : WorkspaceId.make(metadata[workspaceKey]),
    plan: PaidPlan.literals.find((plan) => prices[plan].some((price) => priceIds.includes(price))) ?? null,
    // A status added by a later Stripe version must not end the plan.
    status: isStatus(status) ? status : "past_due",
    renewsAt: renewal === undefined ? null : instant(renewal),
    cancels: cancel_at_period_end || cancel_at !== null,
    createdAt: instant(created)
  }
}

const subscriptionIn = (event: Stripe.Event): string | null => {
  switch (event.type) {
    case "checkout.session.completed":
      return event.data.object.subscription === null ? null : idOf(event.data.object.subscription)
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.paused":
    case "customer.subscription.resumed":
    case "customer.subscription.deleted":
      return event.data.object.id
    // The webhook endpoint may be subscribed to other events.
    default:
      return null
  }
}

const orderOf = ({ customerId, email, plan, returnTo, workspaceId }: Order, price: string) => ({
  mode: "subscription" as const,
  line_items: [{ price, quantity: 1 }],
  client_reference_id: workspaceId,
  subscription_data: { metadata: { [workspaceKey]: workspaceId } },
  success_url: `${returnTo}?checkout=${plan}`,
  cancel_url: returnTo,
  ...(customerId !== null ? { customer: customerId } : email !== null ? { customer_email: email } : {})
})

export const makeStripeProvider = (settings: StripeSettings): PaymentProvider => {
  const stripe = clientOf(settings)

  const required = <A>(found: Option.Option<A>) => Effect.mapError(found, () => providerUnavailable)

  return {
    checkout: Effect.fn("Stripe.checkout")(function*(order: Order) {
      const [price] = settings.prices[order.plan]
      if (price === undefined) return yield* providerUnavailable
      const made = yield* asking("opening a checkout", () => stripe.checkout.sessions.create(orderOf(order, price)))
      const { url } = yield* required(made)
      return yield* required(Option.fromNullable(url))
    }),
    portal: Effect.fn("Stripe.portal")(function*(customer: string, returnTo: string) {
      const made = yield* asking(
        "opening the portal",
        () => stripe.billingPortal.sessions.create({ customer, return_url: returnTo })
      )
      return (yield* required(made)).url
    }),
    subscription: Effect.fn("Stripe.subscription")(function*(id: string) {
      const found = yield* asking("reading a subscription", () => stripe.subscriptions.retrieve(id))
      return Option.map(found, (subscription) => subscriptionOf(subscription, settings.prices))
    }),
    end: Effect.fn("Stripe.end")(function*(id: string) {
      yield* asking("ending a subscription", () => stripe.subscriptions.cancel(id, { prorate: true }))
    }),
    notice: Effect.fn("Stripe.notice")(function*(body: string, signature: string) {
      const now = yield* Clock.currentTimeMillis
      const event = yield* Effect.try({
        try: () =>
          Stripe.webhooks.constructEvent(body, signature, Redacted.value(settings.webhookSecret), toleranceSec, undefined, now),
        catch: () => badSignature
      })
      return { id: event.id, subscriptionId: subscriptionIn(event) } satisfies Notice
    })
  }
}
