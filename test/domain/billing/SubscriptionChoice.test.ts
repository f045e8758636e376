/** Laws of subscriptions: a workspace has one, nobody pays for two, and a failed payment does not end the plan immediately. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { PaidPlan, SubscriptionStatus } from "../../../schema/billing/Billing.ts"
import { Plan } from "../../../schema/workspace/Workspace.ts"
import { chooseSubscription, isOver, type KnownSubscription, planUnder } from "../../../src/domain/billing/SubscriptionChoice.ts"

const subscription: fc.Arbitrary<KnownSubscription> = fc.record({
  id: fc.constantFrom("sub_1", "sub_2", "sub_3"),
  status: fc.constantFrom(...SubscriptionStatus.literals),
  plan: fc.constantFrom(...PaidPlan.literals, null),
  renewsAt: fc.constant(null),
  cancels: fc.boolean(),
  createdAt: fc.integer({ min: 0, max: 1_000 }).map((at) => DateTime.unsafeMake(at))
})
const pays = ({ status }: KnownSubscription) => status === "active" || status === "trialing" || status === "past_due"

describe("the choice among subscriptions", () => {
  it("applies updates of the current subscription, or takes the first one", () => {
    fc.assert(fc.property(subscription, subscription, (held, other) => {
      const news = { ...other, id: held.id }
      assert.deepStrictEqual(chooseSubscription(held, news), { take: news, end: null })
      assert.deepStrictEqual(chooseSubscription(null, news), { take: news, end: null })
    }))
  })

  it("never replaces a paid subscription by an unpaid one, nor forgets one that is still being charged", () => {
    fc.assert(fc.property(subscription, subscription, (held, news) => {
      if (held.id === news.id) return
      const { end, take } = chooseSubscription(held, news)
      if (pays(held) && take !== null) assert.isTrue(pays(take))
      if (take !== null && !isOver(held)) assert.strictEqual(end, held.id)
      if (pays(held) && pays(news)) assert.isNotNull(end)
    }))
  })

  it("chooses the same of two paid subscriptions in either order", () => {
    fc.assert(fc.property(subscription, subscription, (one, other) => {
      if (one.id === other.id || !pays(one) || !pays(other) || DateTime.Equivalence(one.createdAt, other.createdAt)) return
      const kept = (first: KnownSubscription, second: KnownSubscription) => chooseSubscription(first, second).take?.id ?? first.id
      assert.strictEqual(kept(one, other), kept(other, one))
    }))
  })

  it("gives the plan that is paid for, keeps it for an unknown price, and is free otherwise", () => {
    fc.assert(fc.property(subscription, fc.constantFrom(...Plan.literals), (known, current) => {
      assert.strictEqual(planUnder(known, current), pays(known) ? known.plan ?? current : "free")
    }))
  })
})
