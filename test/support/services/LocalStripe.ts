/** A server with the part of Stripe's API that the program uses; it signs webhooks as Stripe does. */
import { Effect, Redacted } from "effect"
import { createHmac, randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { SubscriptionStatus } from "../../../schema/billing/Billing.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { StripeSettings } from "../../../src/external/billing/StripeProvider.ts"
import { withBody } from "./WithBody.ts"

export interface FakeSubscription {
  readonly id: string
  readonly workspaceId: WorkspaceId | null
  readonly price: string
  readonly status: SubscriptionStatus
  readonly created: number
  readonly customer: string
  readonly cancels: boolean
}

interface Call {
  readonly method: string
  readonly path: string
  readonly fields: URLSearchParams
  readonly authorization: string | undefined
}

const webhookSecret = "whsec_of_the_tests"

const shown = ({ cancels, created, customer, id, price, status, workspaceId }: FakeSubscription) => ({
  id,
  object: "subscription",
  status,
  created,
  customer,
  cancel_at: null,
  cancel_at_period_end: cancels,
  metadata: workspaceId === null ? {} : { belltower_workspace: workspaceId },
  items: {
    object: "list",
    data: [{ id: `si_${id}`, object: "subscription_item", price: { id: price }, current_period_end: 1_800_000_000 }]
  }
})

/** The header that Stripe signs a body with. */
export const stripeSignature = (body: string, seconds: number, secret = webhookSecret) =>
  `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`

/** The body of a webhook about an object. */
export const noticeOf = (type: string, object: object, id = `evt_${randomUUID()}`) =>
  JSON.stringify({ id, object: "event", type, created: 0, data: { object } })

export const LocalStripe = Effect.acquireRelease(
  Effect.promise(async () => {
    const subscriptions = new Map<string, FakeSubscription>()
    const calls: Array<Call> = []
    let isDown = false

    const answer = (method: string, path: string): readonly [number, object] => {
      if (isDown) return [500, { error: { type: "api_error", message: "down for the test" } }]
      if (method === "POST" && path === "/v1/checkout/sessions") {
        return [200, { id: "cs_1", object: "checkout.session", url: "https://checkout.stripe.test/cs_1" }]
      }
      if (method === "POST" && path === "/v1/billing_portal/sessions") {
        return [200, { id: "bps_1", object: "billing_portal.session", url: "https://portal.stripe.test/bps_1" }]
      }
      const found = subscriptions.get(path.replace("/v1/subscriptions/", ""))
      if (found === undefined) {
        return [404, { error: { type: "invalid_request_error", code: "resource_missing", message: "No such subscription" } }]
      }
      if (method === "DELETE") subscriptions.set(found.id, { ...found, status: "canceled" })
      return [200, shown(subscriptions.get(found.id) ?? found)]
    }

    const server = createServer((request, response) => {
      withBody(request, (sent) => {
        const { method = "", url = "" } = request
        const [path = ""] = url.split("?")
        calls.push({ method, path, fields: new URLSearchParams(sent), authorization: request.headers.authorization })
        const [status, body] = answer(method, path)
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const settings: StripeSettings = {
      secretKey: Redacted.make("sk_test_of_the_tests"),
      webhookSecret: Redacted.make(webhookSecret),
      prices: { starter: ["price_starter", "price_starter_2025"], business: ["price_business"] },
      apiUrl: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    }
    return {
      settings,
      calls,
      /** Sets a subscription for all later requests. */
      keep: (subscription: Partial<FakeSubscription> & { readonly id: string }) => {
        const before = subscriptions.get(subscription.id)
        const kept: FakeSubscription = {
          workspaceId: null,
          price: "price_starter",
          status: "active",
          created: 1_700_000_000,
          customer: `cus_${subscription.id}`,
          cancels: false,
          ...before,
          ...subscription
        }
        subscriptions.set(kept.id, kept)
        return shown(kept)
      },
      find: (id: string) => subscriptions.get(id),
      setDown: (down: boolean) => {
        isDown = down
      },
      close: () =>
        new Promise<void>((resolve) => {
          server.closeAllConnections()
          server.close(() => resolve())
        })
    }
  }),
  (stripe) => Effect.promise(stripe.close)
)
export type LocalStripe = Effect.Effect.Success<typeof LocalStripe>
