/** Laws of plan limits: requests within the limits pass; others name the cheapest plan that allows them. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either, Schema } from "effect"
import fc from "fast-check"
import { PaidPlan } from "../../../schema/billing/Billing.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { Limits, Plan } from "../../../schema/workspace/Workspace.ts"
import { type LimitName, monitorWishes, planRefusal, type Wish } from "../../../src/domain/billing/PlanLimits.ts"
import { initialPlan, planNames, plans } from "../../../src/domain/billing/Plans.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"
import { usageRecord } from "../../../src/domain/workspace/UsageRecord.ts"

const limitNames: ReadonlyArray<LimitName> = [
  "monitors",
  "minIntervalSec",
  "regionsPerMonitor",
  "pages",
  "customDomains",
  "subscribersPerPage",
  "codeMonitors",
  "members",
  "aiReportsPerMonth"
]
const plan = fc.constantFrom(...Plan.literals)
const count = fc.integer({ min: 0, max: 120_000 })
const wish: fc.Arbitrary<Wish> = fc.record({ limit: fc.constantFrom(...limitNames), had: count, wanted: count })

const within = (of: Plan, { limit, wanted }: Wish) => {
  const bound = plans[of][limit]
  return bound === null || (limit === "minIntervalSec" ? wanted >= bound : wanted <= bound)
}
const more = ({ had, limit, wanted }: Wish) => (limit === "minIntervalSec" ? wanted < had : wanted > had)

const upgradeOf = Schema.decodeUnknownSync(Schema.Struct({ upgrade: Schema.Struct({ plan: PaidPlan, name: Schema.String }) }))

describe("the limits of a plan", () => {
  it("accept usage within them and reject usage beyond them", () => {
    fc.assert(fc.property(plan, fc.array(wish), (of, wishes) => {
      const refused = planRefusal(of, wishes) !== null
      assert.strictEqual(refused, wishes.some((one) => more(one) && !within(of, one)))
    }))
  })

  it("name the cheapest plan that allows the request, or none if no plan does", () => {
    fc.assert(fc.property(plan, fc.array(wish, { minLength: 1 }), (of, wishes) => {
      const refusal = planRefusal(of, wishes)
      if (refusal === null) return
      const asked = wishes.filter(more)
      const fitting = PaidPlan.literals.filter((paid) => asked.every((one) => within(paid, one)))
      assert.isString(refusal.hint)
      if (fitting[0] === undefined) return assert.isUndefined(refusal.details)
      assert.deepStrictEqual(upgradeOf(refusal.details).upgrade, { plan: fitting[0], name: planNames[fitting[0]] })
    }))
  })

  it("take nothing away when a plan shrinks: equal or lower usage passes", () => {
    fc.assert(fc.property(plan, wish, (of, { had, limit }) => {
      assert.isNull(planRefusal(of, [{ limit, had, wanted: had }]))
      assert.isNull(planRefusal(of, [{ limit, had, wanted: limit === "minIntervalSec" ? had + 1 : Math.max(0, had - 1) }]))
    }))
  })

  it("grow from plan to plan", () => {
    fc.assert(fc.property(wish, (one) => {
      if (within("free", one)) assert.isTrue(within("starter", one))
      if (within("starter", one)) assert.isTrue(within("business", one))
      if (within("business", one)) assert.isTrue(within("self_hosted", one))
    }))
  })

  it("state what the plan allows and how to upgrade", () => {
    const refusal = planRefusal("free", [{ limit: "monitors", had: 50, wanted: 51 }])
    assert.deepInclude(refusal, {
      _tag: "plan_limit",
      message: "The Free plan allows 50 monitors",
      hint: "Upgrade to Starter: POST /api/v1/billing/checkout with plan starter returns a URL for a human",
      details: { upgrade: { plan: "starter", name: "Starter" } }
    })
    const domains = planRefusal("free", [{ limit: "customDomains", had: 0, wanted: 1 }])
    assert.strictEqual(domains?.message, "The Free plan allows no custom domains")
    const atTheTop = planRefusal("business", [{ limit: "members", had: 100, wanted: 101 }])
    assert.isUndefined(atTheTop?.details)
    assert.include(atTheTop?.hint, "/billing/plans")
  })

  it("apply to a monitor's interval and regions, but not to heartbeats", () => {
    const settled = (input: MonitorInput) =>
      Either.getOrThrow(settleNew(input, { channelIds: [], regions: [RegionId.make("main")] }))
    const fast = settled({ name: "Shop", url: "https://shop.test/", intervalSec: 30 })
    assert.isNotNull(planRefusal("free", monitorWishes(fast, null)))
    assert.isNull(planRefusal("free", monitorWishes(fast, fast)))
    const regions = ["a", "b", "c", "d"].map((id) => RegionId.make(id))
    assert.isNotNull(planRefusal("free", monitorWishes({ ...fast, intervalSec: 60, regions }, null)))
    assert.isNull(planRefusal("free", monitorWishes(settled({ name: "Backup", periodSec: 30 }), null)))
  })

  it("do not apply when billing is disabled", () => {
    assert.strictEqual(initialPlan(false), "self_hosted")
    assert.strictEqual(initialPlan(true), "free")
    assert.isTrue(Schema.is(Limits)(plans[initialPlan(false)]))
  })
})

describe("usage", () => {
  it("is counted against the plan and includes when the month of AI reports ends", () => {
    const used = { monitors: 51, codeMonitors: 0, pages: 1, customDomains: 0, members: 2, subscribers: 0, aiReports: 4 }
    const usage = usageRecord("free", used, DateTime.unsafeMake("2026-12-31T23:59:59Z"))
    assert.deepStrictEqual(usage.monitors, { used: 51, limit: 50 })
    assert.deepStrictEqual(usage.aiReports, { used: 4, limit: 10, resetsAt: DateTime.unsafeMake("2027-01-01T00:00:00Z") })
  })
})
