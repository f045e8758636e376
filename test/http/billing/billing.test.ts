/** Billing against a server that speaks Stripe's protocol: checkout, signed webhooks in any order, and deleted workspaces. */
import { SqlClient } from "@effect/sql"
import { assert, describe, expect, it, layer } from "@effect/vitest"
import { Context, Effect, Either, Layer, Option } from "effect"
import { BillingUpkeep } from "../../../cluster/billing/BillingUpkeep.ts"
import * as Cluster from "../../../cluster/Cluster.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Billing } from "../../../src/external/billing/Billing.ts"
import { makeStripeProvider } from "../../../src/external/billing/StripeProvider.ts"
import { readSettings } from "../../../src/settings/Settings.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { callJson, newKey, post, serverOver, TestServer } from "../../support/program/TestServer.ts"
import { LocalStripe, noticeOf, stripeSignature } from "../../support/services/LocalStripe.ts"
import { until } from "../../support/time/Until.ts"

class Stripe extends Context.Tag("test/Stripe")<Stripe, LocalStripe>() {}

const StripeServer = Layer.unwrapScoped(Effect.map(LocalStripe, (stripe) => {
  const billing = Layer.succeed(Billing, makeStripeProvider(stripe.settings))
  return Layer.mergeAll(serverOver(), Cluster.layerSingle).pipe(
    Layer.provideMerge(TestDatabase),
    Layer.provideMerge(Layer.merge(billing, Layer.succeed(Stripe, stripe)))
  )
})).pipe(Layer.orDie)

const get = (path: string, headers: Record<string, string> = {}) => callJson(`/api/v1${path}`, { headers })
const checkout = (headers: Record<string, string>, plan = "starter") => post("/api/v1/billing/checkout", { plan }, headers)

const now = () => Math.floor(Date.now() / 1000)

const tell = (body: string, signature = stripeSignature(body, now())) =>
  callJson("/billing/stripe", {
    method: "POST",
    headers: { "content-type": "application/json", "stripe-signature": signature },
    body
  })

const changed = (object: object, id?: string) => noticeOf("customer.subscription.updated", object, id)

const customer = Effect.fn("customer")(function*() {
  const sql = yield* SqlClient.SqlClient
  const key = yield* newKey()
  yield* sql`update workspaces set plan = 'free', claimed_at = now() where id = ${key.workspaceId}`
  const owner = yield* signedIn(key.workspaceId, "owner")
  const billing = Effect.map(get("/billing", key.headers), ({ body }) => body)
  const plan = Effect.map(billing, (body): string => body.plan)
  return { ...key, owner, billing, plan }
})

const subscribed = Effect.fn("subscribed")(
  function*(id: string, workspaceId: WorkspaceId, price = "price_starter", created = 1_700_000_000) {
    const stripe = yield* Stripe
    const subscription = stripe.keep({ id, workspaceId, price, created })
    const body = noticeOf("checkout.session.completed", { id: "cs_1", object: "checkout.session", subscription: id })
    assert.strictEqual((yield* tell(body)).status, 200)
    return subscription
  }
)

layer(StripeServer, { excludeTestServices: true })("billing", (it) => {
  it.effect("lists the plans and which can be bought; a new workspace is free", () =>
    Effect.gen(function*() {
      const { body } = yield* get("/billing/plans")
      expect(body.data.map((plan: { id: string; name: string; purchasable: boolean }) => [plan.id, plan.name, plan.purchasable]))
        .toEqual([
          ["free", "Free", false],
          ["starter", "Starter", true],
          ["business", "Business", true],
          ["self_hosted", "Self-hosted", false]
        ])
      expect(body.data[1].limits).toMatchObject({ monitors: 250, minIntervalSec: 30, onCall: false })
      const made = yield* post("/api/v1/agent/bootstrap", { agentName: "scout" })
      assert.strictEqual(made.body.workspace.plan, "free")
    }))

  it.effect("leads the human to a checkout that names the workspace where the buyer cannot change it", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const { headers, owner, workspaceId } = yield* customer()
      const { body, status } = yield* checkout(owner.headers)
      assert.strictEqual(status, 200)
      expect(body).toEqual({ url: "https://checkout.stripe.test/cs_1" })
      const asked = stripe.calls.findLast(({ path }) => path === "/v1/checkout/sessions")
      expect(Object.fromEntries(asked?.fields ?? [])).toMatchObject({
        mode: "subscription",
        "line_items[0][price]": "price_starter",
        "subscription_data[metadata][belltower_workspace]": workspaceId,
        customer_email: owner.email,
        success_url: "https://belltower.test/app?checkout=starter"
      })
      assert.strictEqual(asked?.authorization, "Bearer sk_test_of_the_tests")
      assert.strictEqual((yield* checkout(headers, "free")).status, 422)
      const viewer = yield* signedIn(workspaceId, "member")
      assert.strictEqual((yield* checkout(viewer.headers)).status, 403)
      const unclaimed = yield* newKey()
      assert.strictEqual((yield* checkout(unclaimed.headers)).status, 403)
    }))

  it.effect("switches the plan with the subscription, and leads existing subscribers to the portal", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const { billing, headers, plan, workspaceId } = yield* customer()
      yield* subscribed("sub_a", workspaceId)
      expect(yield* billing).toMatchObject({
        plan: "starter",
        name: "Starter",
        configured: true,
        usage: { monitors: { used: 0, limit: 250 } },
        subscription: { plan: "starter", status: "active", cancels: false, renewsAt: "2027-01-15T08:00:00.000Z" }
      })
      assert.strictEqual((yield* checkout(headers, "business")).body.url, "https://portal.stripe.test/bps_1")
      expect(stripe.calls.at(-1)?.fields.get("customer")).toBe("cus_sub_a")
      yield* tell(changed(stripe.keep({ id: "sub_a", price: "price_business" })))
      assert.strictEqual(yield* plan, "business")
      yield* tell(changed(stripe.keep({ id: "sub_a", price: "price_starter_2025", status: "past_due" })))
      assert.strictEqual(yield* plan, "starter")
      yield* tell(changed(stripe.keep({ id: "sub_a", price: "price_of_a_friend", status: "active" })))
      assert.strictEqual(yield* plan, "starter")
      yield* tell(noticeOf("customer.subscription.deleted", stripe.keep({ id: "sub_a", status: "canceled" })))
      assert.strictEqual(yield* plan, "free")
      assert.strictEqual((yield* checkout(headers)).body.url, "https://checkout.stripe.test/cs_1")
      expect(stripe.calls.at(-1)?.fields.get("customer")).toBe("cus_sub_a")
    }))

  it.effect("follows the current subscription, whatever the order and number of webhooks", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const { plan, workspaceId } = yield* customer()
      const old = stripe.keep({ id: "sub_b", workspaceId, status: "incomplete" })
      const paid = stripe.keep({ id: "sub_b", status: "active" })
      // The payment's webhook first, then the older one, which still shows the subscription unpaid.
      yield* tell(changed(paid))
      yield* tell(changed(old))
      assert.strictEqual(yield* plan, "starter")
      const again = changed(stripe.keep({ id: "sub_b", price: "price_business" }), "evt_same")
      const storm = yield* Effect.forEach(Array.from({ length: 6 }), () => tell(again), { concurrency: "unbounded" })
      expect(storm.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
      assert.strictEqual(yield* plan, "business")
      const asked = stripe.calls.length
      assert.strictEqual((yield* tell(again)).status, 200)
      assert.strictEqual(stripe.calls.length, asked)
    }))

  it.effect("rejects webhooks that are unsigned, altered, signed by another key or older than 5 minutes", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const { plan, workspaceId } = yield* customer()
      const body = changed(stripe.keep({ id: "sub_c", workspaceId }))
      const refused = [
        yield* tell(body, ""),
        yield* tell(body.replace("evt_", "evu_"), stripeSignature(body, now())),
        yield* tell(body, stripeSignature(body, now(), "whsec_of_another")),
        yield* tell(body, stripeSignature(body, now() - 301)),
        yield* tell("", stripeSignature("", now()))
      ]
      expect(refused.map(({ body, status }) => [status, body.error.code])).toEqual(refused.map(() => [400, "bad_request"]))
      assert.strictEqual(yield* plan, "free")
      assert.strictEqual((yield* tell(body, stripeSignature(body, now() - 290))).status, 200)
      assert.strictEqual(yield* plan, "starter")
    }))

  it.effect("requests a redelivery while Stripe is unavailable, and tells callers that it is", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const { headers, plan, workspaceId } = yield* customer()
      const body = changed(stripe.keep({ id: "sub_d", workspaceId }))
      stripe.setDown(true)
      assert.strictEqual((yield* tell(body)).status, 503)
      expect((yield* checkout(headers)).body.error).toMatchObject({ code: "unavailable" })
      stripe.setDown(false)
      assert.strictEqual((yield* tell(body)).status, 200)
      assert.strictEqual(yield* plan, "starter")
    }))

  it.effect("acknowledges unrelated webhooks and ignores them", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      expect((yield* tell(noticeOf("invoice.paid", { id: "in_1" }))).status).toBe(200)
      expect((yield* tell(changed({ id: "sub_nobody_knows" }))).status).toBe(200)
      expect((yield* tell(changed(stripe.keep({ id: "sub_of_another_product" })))).status).toBe(200)
      expect(stripe.find("sub_of_another_product")?.status).toBe("active")
    }))

  it.scoped("ends the subscription of a deleted workspace, of one deleted during payment, and the older of two", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const two = yield* customer()
      yield* subscribed("sub_old", two.workspaceId)
      yield* subscribed("sub_new", two.workspaceId, "price_business", 1_700_000_100)
      assert.strictEqual(yield* two.plan, "business")
      const gone = yield* customer()
      yield* subscribed("sub_gone", gone.workspaceId)
      const deletion = yield* callJson("/api/v1/workspace", { method: "DELETE", headers: gone.owner.headers })
      assert.strictEqual(deletion.status, 200)
      yield* subscribed("sub_late", gone.workspaceId)
      yield* Layer.build(BillingUpkeep)
      const states = Effect.sync(() => ["sub_old", "sub_gone", "sub_late", "sub_new"].map((id) => stripe.find(id)?.status))
      yield* until(states, (found) => found.slice(0, 3).every((status) => status === "canceled"))
      expect(stripe.find("sub_new")?.status).toBe("active")
      yield* tell(noticeOf("customer.subscription.deleted", stripe.keep({ id: "sub_old" })))
      assert.strictEqual(yield* two.plan, "business")
      const sql = yield* SqlClient.SqlClient
      const waiting = Effect.map(sql`select 1 from subscription_ends`, (rows) => rows.length)
      yield* until(waiting, (left) => left === 0)
    }))
})

layer(TestServer, { excludeTestServices: true })("without billing", (it) => {
  it.effect("nothing can be bought, and nothing is limited", () =>
    Effect.gen(function*() {
      const { headers } = yield* newKey()
      expect((yield* checkout(headers)).body.error).toMatchObject({
        code: "unavailable",
        hint: expect.stringContaining("STRIPE_SECRET_KEY")
      })
      assert.strictEqual((yield* checkout(headers)).status, 503)
      assert.strictEqual((yield* tell("{}")).status, 503)
      const { body } = yield* get("/billing", headers)
      expect(body).toMatchObject({
        plan: "self_hosted",
        configured: false,
        subscription: null,
        usage: { members: { limit: null } }
      })
      const plans = yield* get("/billing/plans")
      expect(plans.body.data.every((plan: { purchasable: boolean }) => !plan.purchasable)).toBe(true)
    }))
})

describe("the settings of billing", () => {
  const whole = {
    STRIPE_SECRET_KEY: "sk_1",
    STRIPE_WEBHOOK_SECRET: "whsec_1",
    STRIPE_PRICE_STARTER: "price_1, price_0",
    STRIPE_PRICE_BUSINESS: "price_2"
  }
  it.effect("are all set, or none", () =>
    Effect.gen(function*() {
      const stripe = Option.getOrThrow((yield* readSettings("all", whole)).stripe)
      expect(stripe.prices).toEqual({ starter: ["price_1", "price_0"], business: ["price_2"] })
      expect(stripe.apiUrl).toBe("https://api.stripe.com")
      expect((yield* readSettings("all", {})).stripe).toEqual(Option.none())
      const { STRIPE_WEBHOOK_SECRET: _, ...half } = whole
      const refused = yield* Effect.either(readSettings("all", half))
      expect(Either.getLeft(refused)).toMatchObject({
        value: { message: expect.stringMatching(/^STRIPE_WEBHOOK_SECRET is also required/) }
      })
    }))
})
