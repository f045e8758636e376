import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck } from "effect"
import { PagingId, WayId } from "../../../schema/Ids.ts"
import { type PagingRules, type PagingState, WayKind } from "../../../schema/oncall/Way.ts"
import {
  afterFailures,
  defaultRules,
  plannedPages,
  reachedNobody,
  type TriedPage,
  urgencyOf,
  type UsableWay
} from "../../../src/domain/paging/PersonalSteps.ts"

/** A Friday. */
const friday = DateTime.unsafeMake("2026-11-20T10:00:00Z")

const kind = FastCheck.constantFrom(...WayKind.literals)
const ways: FastCheck.Arbitrary<ReadonlyArray<UsableWay>> = FastCheck.uniqueArray(
  FastCheck.record({ kind, number: FastCheck.nat(3) }),
  { maxLength: 6, selector: ({ kind, number }) => kind === "email" ? kind : `${kind} ${number}` }
).map((found) =>
  found.map(({ kind, number }) => ({ id: kind === "email" ? null : WayId.make(`way_${kind}_${number}`), kind, label: kind }))
)
const step = FastCheck.record({
  by: kind,
  afterMinutes: FastCheck.nat(60),
  during: FastCheck.constantFrom("any" as const, "working" as const, "off" as const)
})
const steps = FastCheck.array(step, { minLength: 1, maxLength: 8 })
const workingHours = FastCheck.constantFrom(
  null,
  { timezone: "Europe/Berlin", days: [0, 1, 2, 3, 4], from: "09:00", to: "17:00" },
  { timezone: "America/New_York", days: [6], from: "22:00", to: "06:00" }
)
const rules: FastCheck.Arbitrary<PagingRules> = FastCheck.record({
  high: steps,
  low: steps,
  workingHours,
  isDefault: FastCheck.constant(false)
})
const urgency = FastCheck.constantFrom("high" as const, "low" as const)
const at = FastCheck.integer({ min: 0, max: 14 * 24 * 60 }).map((minutes) => DateTime.add(friday, { minutes }))

const minutesOf = (from: DateTime.Utc, to: DateTime.Utc) => DateTime.distance(from, to) / 60_000

const phone: UsableWay = { id: WayId.make("way_phone"), kind: "sms", label: "Phone" }
const browser: UsableWay = { id: WayId.make("way_browser"), kind: "push", label: "Browser" }
const mail: UsableWay = { id: null, kind: "email", label: "Email" }

describe("the pages to a person", () => {
  it.prop(
    "never lack a page while there is a way, whatever the hours and the rules",
    [rules, urgency, ways, at],
    ([given, how, usable, when]) => {
      const pages = plannedPages(given, how, usable, when)
      return usable.length === 0 ? pages.length === 0 : pages.length > 0
    }
  )

  it.prop("begin within the minutes of the first step that counts, in order of time, each way once at a time", [
    rules,
    urgency,
    ways,
    at
  ], ([given, how, usable, when]) => {
    const pages = plannedPages(given, how, usable, when)
    const minutes = pages.map(({ dueAt }) => minutesOf(when, dueAt))
    const earliest = Math.min(...given[how].map(({ afterMinutes }) => afterMinutes))
    const latest = Math.max(...given[how].map(({ afterMinutes }) => afterMinutes))
    expect(minutes).toEqual([...minutes].sort((one, other) => one - other))
    expect(minutes.every((one) => one >= 0 && one <= latest)).toBe(true)
    expect(pages.map(({ step }) => step)).toEqual(pages.map((_, index) => index + 1))
    expect(new Set(pages.map(({ dueAt, way }) => `${minutesOf(when, dueAt)} ${way.id}`)).size).toBe(pages.length)
    // What has no way at the beginning is not waited for.
    if (given.workingHours === null && given[how].every(({ during }) => during !== "off") && pages.length > 0) {
      expect(minutes[0]).toBeLessThanOrEqual(Math.max(earliest, 0))
    }
  })

  it("follow the usual rules: noise first, then SMS after 2 minutes and a call after 5 and 10", () => {
    const caller: UsableWay = { id: WayId.make("way_call"), kind: "voice", label: "Phone" }
    const pages = plannedPages(defaultRules, "high", [mail, browser, phone, caller], friday)
    expect(pages.map(({ dueAt, way }) => [way.kind, minutesOf(friday, dueAt)])).toEqual([
      ["push", 0],
      ["email", 0],
      ["sms", 2],
      ["voice", 5],
      ["voice", 10]
    ])
    expect(plannedPages(defaultRules, "low", [mail, browser, phone], friday).map(({ way }) => way.kind)).toEqual([
      "push",
      "email"
    ])
  })

  it("do not wait for a first step that has no way", () => {
    const pages = plannedPages(defaultRules, "high", [phone], friday)
    expect(pages.map(({ dueAt, way }) => [way.kind, minutesOf(friday, dueAt)])).toEqual([["sms", 0]])
  })

  it("are other ones outside the working hours, and no hour holds them", () => {
    const given: PagingRules = {
      ...defaultRules,
      high: [{ by: "push", afterMinutes: 0, during: "working" }, { by: "sms", afterMinutes: 0, during: "off" }],
      workingHours: { timezone: "UTC", days: [0, 1, 2, 3, 4], from: "09:00", to: "17:00" }
    }
    const kindsAt = (when: DateTime.Utc) => plannedPages(given, "high", [phone, browser], when).map(({ way }) => way.kind)
    expect(kindsAt(friday)).toEqual(["push"])
    expect(kindsAt(DateTime.add(friday, { days: 1 }))).toEqual(["sms"])
    expect(plannedPages(given, "high", [mail], friday).map(({ way }) => way.kind)).toEqual(["email"])
  })

  it("are of the urgency of the level, else of the monitor, else of the impact of an incident that a person opened", () => {
    expect(urgencyOf({ level: "low", monitor: "high", impact: "critical" })).toBe("low")
    expect(urgencyOf({ level: null, monitor: "low", impact: null })).toBe("low")
    expect(urgencyOf({ level: null, monitor: null, impact: "minor" })).toBe("low")
    expect([null, "major", "critical"].map((impact) => urgencyOf({ level: null, monitor: null, impact: impact as null })))
      .toEqual([
        "high",
        "high",
        "high"
      ])
  })
})

const tried = (id: string, userId: string, state: PagingState, minutes: number, more: Partial<TriedPage> = {}): TriedPage => ({
  id: PagingId.make(id),
  userId,
  level: 1,
  round: 1,
  state,
  dueAt: DateTime.add(friday, { minutes }),
  followed: false,
  captured: false,
  ...more
})

describe("pages that fail", () => {
  it("bring the person's next ones forward, once, and nobody else's", () => {
    const pages = [
      tried("a1", "ada", "failed", 0),
      tried("a2", "ada", "planned", 5),
      tried("a3", "ada", "planned", 5),
      tried("a4", "ada", "planned", 10),
      tried("b1", "ben", "handed_over", 0),
      tried("b2", "ben", "planned", 5)
    ]
    expect(afterFailures(pages)).toEqual({ forward: ["a2", "a3"], answered: ["a1"] })
    expect(afterFailures(pages.map((page) => ({ ...page, followed: page.state === "failed" })))).toEqual({
      forward: [],
      answered: []
    })
  })

  it("make a level one that reached nobody only if all of them failed, and none is left", () => {
    const place = { level: 1, round: 1 }
    expect(reachedNobody([tried("a", "ada", "failed", 0), tried("b", "ben", "failed", 0)], place)).toBe(true)
    expect(reachedNobody([], place)).toBe(false)
    expect(reachedNobody([tried("a", "ada", "failed", 0), tried("b", "ada", "planned", 5)], place)).toBe(false)
    expect(reachedNobody([tried("a", "ada", "failed", 0), tried("b", "ben", "sending", 0)], place)).toBe(false)
    expect(reachedNobody([tried("a", "ada", "failed", 0, { level: 2 })], place)).toBe(false)
    // Mails that are stored for reading page nobody, and yet a level waits for them, as it did.
    expect(reachedNobody([tried("a", "ada", "failed", 0, { captured: true })], place)).toBe(false)
  })
})
