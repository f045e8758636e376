/** Stripe's webhooks, attacked: what a notice says is only a reason to ask Stripe, and no caller chooses whom Stripe is asked about. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createHmac } from "node:crypto"
import { Billing } from "../../src/external/billing/Billing.ts"
import { makeStripeProvider } from "../../src/external/billing/StripeProvider.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"
import { callJson, newKey, post, serverOver } from "../support/program/TestServer.ts"
import { LocalStripe, noticeOf, stripeSignature } from "../support/services/LocalStripe.ts"

class Stripe extends Context.Tag("test/Stripe")<Stripe, LocalStripe>() {}

const StripeServer = Layer.unwrapScoped(Effect.map(LocalStripe, (stripe) =>
  serverOver().pipe(
    Layer.provideMerge(TestDatabase),
    Layer.provideMerge(Layer.merge(
      Layer.succeed(Billing, makeStripeProvider(stripe.settings)),
      Layer.succeed(Stripe, stripe)
    ))
  ))).pipe(Layer.orDie)

const now = () => Math.floor(Date.now() / 1000)

const tell = (body: string, signature = stripeSignature(body, now())) =>
  callJson("/billing/stripe", {
    method: "POST",
    headers: { "content-type": "application/json", "stripe-signature": signature },
    body
  })

const changed = (object: object) => noticeOf("customer.subscription.updated", object)

const customer = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const key = yield* newKey()
  yield* sql`update workspaces set plan = 'free', claimed_at = now() where id = ${key.workspaceId}`
  const owner = yield* signedIn(key.workspaceId, "owner")
  const plan = Effect.map(callJson("/api/v1/billing", { headers: key.headers }), ({ body }): string => body.plan)
  return { ...key, owner, plan }
})

layer(StripeServer, { excludeTestServices: true })("a notice of Stripe", (it) => {
  it.effect("is not believed: the plan, the workspace and the status are those that Stripe says when it is asked", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const buyer = yield* customer
      const victim = yield* customer
      const real = stripe.keep({ id: "sub_said", workspaceId: buyer.workspaceId, status: "incomplete", price: "price_starter" })
      const claimed = {
        ...real,
        status: "active",
        customer: "cus_of_another",
        metadata: { belltower_workspace: victim.workspaceId },
        items: { object: "list", data: [{ id: "si_1", price: { id: "price_business" }, current_period_end: 1_900_000_000 }] }
      }
      expect((yield* tell(changed(claimed))).status).toBe(200)
      expect([yield* buyer.plan, yield* victim.plan]).toEqual(["free", "free"])
      const session = {
        id: "cs_1",
        object: "checkout.session",
        subscription: "sub_said",
        client_reference_id: victim.workspaceId,
        metadata: { belltower_workspace: victim.workspaceId },
        payment_status: "paid"
      }
      expect((yield* tell(noticeOf("checkout.session.completed", session))).status).toBe(200)
      expect([yield* buyer.plan, yield* victim.plan]).toEqual(["free", "free"])
      // An end that Stripe does not confirm ends nothing.
      yield* tell(changed(stripe.keep({ id: "sub_said", status: "active" })))
      expect(yield* buyer.plan).toBe("starter")
      yield* tell(noticeOf("customer.subscription.deleted", { ...real, status: "canceled" }))
      expect(yield* buyer.plan).toBe("starter")
    }))

  it.effect("of before does not bring a plan back, and one of another account's subscription gives none", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const { plan, workspaceId } = yield* customer
      const bought = changed(stripe.keep({ id: "sub_back", workspaceId, price: "price_business" }))
      yield* tell(bought)
      expect(yield* plan).toBe("business")
      stripe.keep({ id: "sub_back", status: "canceled" })
      yield* tell(noticeOf("customer.subscription.deleted", { id: "sub_back" }))
      expect(yield* plan).toBe("free")
      // The same notice signed again, and a new one that tells the old story.
      expect((yield* tell(bought)).status).toBe(200)
      expect((yield* tell(changed({ id: "sub_back", status: "active", metadata: { belltower_workspace: workspaceId } }))).status)
        .toBe(200)
      // Of an account whose subscriptions our key cannot read (Connect).
      const foreign = JSON.stringify({ ...JSON.parse(changed({ id: "sub_elsewhere", status: "active" })), account: "acct_evil" })
      expect((yield* tell(foreign)).status).toBe(200)
      expect(yield* plan).toBe("free")
    }))

  it.effect("counts only with a signature of exactly its text and time", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const { plan, workspaceId } = yield* customer
      const body = changed(stripe.keep({ id: "sub_signed", workspaceId }))
      const of = (text: string, key = "whsec_of_the_tests") => createHmac("sha256", key).update(text).digest("hex")
      const at = now()
      const forged = [
        // An old signature under a new time, and the other way round.
        stripeSignature(body, at - 1000).replace(/t=\d+/, `t=${at}`),
        `t=${at},v0=${of(`${at}.${body}`)}`,
        `t=${at},v1=${of(body)}`,
        `t=${at},v1=`,
        `v1=${of(`.${body}`)}`,
        `t=,v1=${of(`.${body}`)}`,
        `t=${at},v1=${of(`${at}.${body}`, "")}`,
        `t=${at},${Array.from({ length: 100 }, (_, n) => `v1=${String(n).padStart(64, "0")}`).join(",")}`
      ]
      const answers = yield* Effect.forEach(forged, (signature) => tell(body, signature))
      expect(answers.map(({ status }) => status)).toEqual(forged.map(() => 400))
      expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain("whsec")
      // Bytes that are not UTF-8 and white space change the text.
      for (const altered of [` ${body}`, `${body}\n`, body.replace("sub_signed", "sub_\ufffd")]) {
        expect((yield* tell(altered, stripeSignature(body, at))).status).toBe(400)
      }
      expect(yield* plan).toBe("free")
      expect((yield* callJson("/billing/stripe", { method: "GET" })).status).not.toBe(200)
    }))
})

layer(StripeServer, { excludeTestServices: true })("a checkout", (it) => {
  it.effect("is for the caller's workspace and customer, whatever the request names", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const victim = yield* customer
      yield* tell(changed(stripe.keep({ id: "sub_victim", workspaceId: victim.workspaceId })))
      expect(yield* victim.plan).toBe("starter")
      const attacker = yield* customer
      const headers = { ...attacker.headers, "x-workspace": victim.workspaceId }
      const asked = stripe.calls.length
      for (
        const more of [
          { customer: "cus_sub_victim" },
          { customerId: "cus_sub_victim" },
          { workspaceId: victim.workspaceId },
          { price: "price_of_a_friend" },
          { returnTo: "https://evil.example/" }
        ]
      ) {
        expect((yield* post("/api/v1/billing/checkout", { plan: "starter", ...more }, headers)).status).toBe(422)
      }
      expect(stripe.calls).toHaveLength(asked)
      yield* post("/api/v1/billing/checkout", { plan: "starter" }, headers)
      const call = stripe.calls.at(-1)
      expect(call?.path).toBe("/v1/checkout/sessions")
      expect(call?.fields.get("subscription_data[metadata][belltower_workspace]")).toBe(attacker.workspaceId)
      expect([...call?.fields.values() ?? []].join(" ")).not.toContain("victim")
      const person = yield* post("/api/v1/billing/checkout", { plan: "starter" }, {
        ...attacker.owner.headers,
        "x-workspace": victim.workspaceId
      })
      expect(person.status).toBe(403)
    }))

  it.effect("and the portal open only to those who may buy", () =>
    Effect.gen(function*() {
      const stripe = yield* Stripe
      const { headers, workspaceId } = yield* customer
      yield* tell(changed(stripe.keep({ id: "sub_portal", workspaceId })))
      const asked = stripe.calls.length
      const viewer = yield* signedIn(workspaceId, "viewer")
      const member = yield* signedIn(workspaceId, "member")
      const reader = yield* newKey(["read"], { workspaceId })
      const delegated = (yield* post("/api/v1/api-keys", { name: "helper", expiresInMinutes: 5 }, headers)).body
      for (const one of [viewer.headers, member.headers, reader.headers, { authorization: `Bearer ${delegated.secret}` }, {}]) {
        const { body, status } = yield* post("/api/v1/billing/checkout", { plan: "starter" }, one as Record<string, string>)
        expect([403, 401]).toContain(status)
        expect(JSON.stringify(body)).not.toContain("stripe.test")
      }
      expect(stripe.calls).toHaveLength(asked)
      // The record that everybody of the workspace reads names neither the customer nor the subscription.
      const { body } = yield* callJson("/api/v1/billing", { headers: reader.headers })
      expect(JSON.stringify(body)).not.toMatch(/cus_|sub_/)
    }))
})
