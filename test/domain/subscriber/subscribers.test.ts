/** The decisions about subscribers: who hears of what, and how a subscription ends. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import { SubscriptionKind } from "../../../schema/subscriber/Subscriber.ts"
import { type BroadcastContents, hears, kindOf } from "../../../src/domain/subscriber/BroadcastContent.ts"
import { nextStep, type SubscriberState } from "../../../src/domain/subscriber/SubscriberLife.ts"
import { echoes } from "../../../src/domain/subscriber/SubscriberPayload.ts"

const ids = fc.array(fc.constantFrom("cmp_1", "cmp_2", "cmp_3"))
const news: fc.Arbitrary<BroadcastContents["news"]> = fc.record({
  audience: fc.constantFrom("all", "webhooks"),
  incidentId: fc.constantFrom("inc_1", "inc_2", null),
  isAfterEnd: fc.boolean(),
  componentIds: ids
})
const event: fc.Arbitrary<Pick<BroadcastContents, "news" | "type">> = fc.record({
  type: fc.constantFrom<EventType>(
    "incident.created",
    "incident.updated",
    "incident.resolved",
    "maintenance.scheduled",
    "maintenance.completed",
    "component.status_changed"
  ),
  news
})
const kinds = fc.subarray([...SubscriptionKind.literals])
const type = fc.constantFrom<SubscriberState["type"]>("email", "webhook", "slack", "discord")

describe("a subscriber", () => {
  it.prop("without a filter gets all news that its type gets", [event, type], ([one, of]) => {
    expect(hears({ type: of, componentIds: [], kinds: [], incidentId: null }, one)).toBe(
      one.news.audience === "all" || of === "webhook"
    )
  })

  it.prop("of components hears of none but these, and of the page as a whole", [event, ids], ([one, wanted]) => {
    const heard = hears({ type: "webhook", componentIds: wanted, kinds: [], incidentId: null }, one)
    const { componentIds } = one.news
    expect(heard).toBe(wanted.length === 0 || componentIds.length === 0 || componentIds.some((id) => wanted.includes(id)))
  })

  it.prop("of some kinds of news hears exactly those of what it would hear of all", [event, kinds, type], ([one, wanted, of]) => {
    const interest = { type: of, componentIds: [], incidentId: null }
    expect(hears({ ...interest, kinds: wanted }, one)).toBe(
      hears({ ...interest, kinds: [] }, one) && (wanted.length === 0 || wanted.includes(kindOf(one)))
    )
  })

  it("takes what follows the end of an incident for its postmortem", () => {
    const facts = { audience: "all", incidentId: "inc_1", componentIds: [] } as const
    const kind = (type: EventType, isAfterEnd: boolean) => kindOf({ type, news: { ...facts, isAfterEnd } })
    expect([kind("incident.updated", false), kind("incident.updated", true), kind("maintenance.updated", true)]).toEqual([
      "incidents",
      "postmortems",
      "maintenance"
    ])
    expect(kind("component.status_changed", false)).toBe("components")
  })

  it.prop("of one incident never hears of another, or of what follows its end", [event, type], ([one, of]) => {
    if (hears({ type: of, componentIds: [], kinds: [], incidentId: "inc_1" }, one)) {
      expect([one.news.incidentId, one.news.isAfterEnd]).toEqual(["inc_1", false])
    }
  })

  const at = DateTime.unsafeMake("2026-11-20T08:00:00Z")
  const state: fc.Arbitrary<SubscriberState> = fc.record({
    type,
    status: fc.constantFrom("pending", "active", "unsubscribed", "disabled"),
    createdAt: fc.constant(at),
    deadDeliveries: fc.nat(20),
    isGone: fc.boolean(),
    incidentId: fc.constantFrom(null, "inc_1"),
    incidentEndedAt: fc.constantFrom(null, at)
  })

  it.prop("of one incident ends 12 hours after it, whenever that is and whether or not anybody tells", [type, fc.nat(60 * 200)], (
    [of, minutes]
  ) => {
    const resolvedAt = DateTime.add(at, { minutes })
    const subscription = { type: of, createdAt: at, deadDeliveries: 0, isGone: false, incidentId: "inc_1" }
    let now = at
    let step = nextStep({ ...subscription, status: "active", incidentEndedAt: null }, now)
    while (step.status === "active" && step.alarm !== null) {
      now = step.alarm
      const incidentEndedAt = DateTime.lessThanOrEqualTo(resolvedAt, now) ? resolvedAt : null
      step = nextStep({ ...subscription, status: "active", incidentEndedAt }, now)
    }
    expect([step.status, now]).toEqual(["unsubscribed", DateTime.add(resolvedAt, { hours: 12 })])
  })

  it.prop("of a page is never looked at while it works", [type], ([of]) => {
    const one = { type: of, createdAt: at, deadDeliveries: 0, isGone: false, incidentId: null, incidentEndedAt: null }
    expect(nextStep({ ...one, status: "active" }, at)).toEqual({ status: "active", alarm: null })
  })

  it.prop("that has ended never comes back, and an alarm is always in the future", [state, fc.nat(60 * 48)], ([one, minutes]) => {
    const now = DateTime.add(at, { minutes })
    const { alarm, status } = nextStep(one, now)
    if (one.status === "unsubscribed" || one.status === "disabled") expect(status).toBe(one.status)
    if (alarm !== null) expect(DateTime.greaterThan(alarm, now)).toBe(true)
  })

  it.prop("is disabled by a 410, and unless it gets mails by ten dead deliveries", [state], ([one]) => {
    const disabled = nextStep({ ...one, status: "active" }, at).status === "disabled"
    expect(disabled).toBe(one.isGone || (one.type !== "email" && one.deadDeliveries >= 10))
  })
})

describe("the answer to a challenge", () => {
  it("repeats it as plain text or as JSON, and nothing else counts", () => {
    for (const answer of ["abc", " abc\n", "\"abc\"", "{\"challenge\":\"abc\"}", "{ \"challenge\": \"abc\" }\n"]) {
      expect(echoes(answer, "abc")).toBe(true)
    }
    for (
      const answer of ["", "ok", "abcd", "{\"challenge\":\"abd\"}", "{\"type\":\"subscription.verify\",\"challenge\":\"abc\"}"]
    ) {
      expect(echoes(answer, "abc")).toBe(false)
    }
  })
})
