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
  /** The price ids of each plan: the first is sold, the others were sold before and still stand for the plan. */
  readonly prices: Readonly<Record<PaidPlan, ReadonlyArray<string>>>
  /** Another address than Stripe's own. */
  readonly apiUrl: string
}

/** How our workspace goes by in a subscription's metadata, which only holders of the secret key can write. */
const workspaceKey = "belltower_workspace"

/** Stripe's own tolerance, in seconds. */
const tolerance = 300

const away = new Unavailable({ message: "The payment provider does not answer as it should", hint: "Try again in a minute" })

const foreign = new BadRequest({ message: "This is not signed by the payment provider, or it is older than 5 minutes" })

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

/** Stripe's messages name ids and parameters, and of a key its last letters at most. */
class StripeRefused extends Data.TaggedError("StripeRefused")<{ readonly message: string; readonly status: number | null }> {}

const refusedBy = (error: unknown) =>
  error instanceof Stripe.errors.StripeError
    ? new StripeRefused({ message: error.message, status: error.statusCode ?? null })
    : new StripeRefused({ message: String(error), status: null })

/** Calls Stripe; what it has never heard of is none. */
const asking = <A>(what: string, ask: () => Promise<A>): Effect.Effect<Option.Option<A>, Unavailable> =>
  Effect.tryPromise({ try: ask, catch: refusedBy }).pipe(
    Effect.asSome,
    Effect.catchIf(({ status }) => status === 404, () => Effect.succeedNone),
    Effect.tapError(({ message }) => Effect.logWarning(`Stripe: ${what} failed: ${message}`)),
    Effect.mapError(() => away)
  )

const instant = (seconds: number): DateTime.Utc => DateTime.unsafeMake(seconds * 1000)

const isStatus = Schema.is(SubscriptionStatus)

const subscriptionOf = (
  { cancel_at, cancel_at_period_end, created, customer, id, items, metadata, status }: Stripe.Subscription,
  prices: StripeSettings["prices"]
): ProviderSubscription => {
  const sold = items.data.map((item) => item.price.id)
  const renewal = items.data[0]?.current_period_end
  return {
    id,
    customerId: idOf(customer),
    workspaceId: metadata[workspaceKey] === undefined ? null : WorkspaceId.make(metadata[workspaceKey]),
    plan: PaidPlan.literals.find((plan) => prices[plan].some((price) => sold.includes(price))) ?? null,
    // One that a later version of Stripe has added is no reason to close anything.
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
    // An endpoint may be set up to be sent all sorts of events.
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

  const required = <A>(found: Option.Option<A>): Effect.Effect<A, Unavailable> =>
    Option.match(found, { onNone: () => Effect.fail(away), onSome: Effect.succeed })

  return {
    checkout: Effect.fn("Stripe.checkout")(function*(order: Order) {
      const [price] = settings.prices[order.plan]
      if (price === undefined) return yield* away
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
          Stripe.webhooks.constructEvent(body, signature, Redacted.value(settings.webhookSecret), tolerance, undefined, now),
        catch: () => foreign
      })
      return { id: event.id, subscriptionId: subscriptionIn(event) } satisfies Notice
    })
  }
}
