/** The calendar of maintenance holds each window on its days, and rows of forms that nobody filled in are left out. */
import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { formBody } from "../../src/dashboard/frame/FormBody.ts"
import { monthStart, seriesAfter, weeksOf, type Window } from "../../src/dashboard/views/maintenance/Calendar.ts"

const at = (text: string) => DateTime.unsafeMake(text)

const windowAt = (from: string, to: string): Window => ({
  id: "inc_1",
  title: "Upgrade",
  from: at(from),
  to: at(to),
  status: "scheduled"
})

const daysOf = (month: string, zone: string, window: Window) =>
  weeksOf(monthStart(month, at("2026-11-22T12:00:00Z"), zone), [window], at("2026-11-22T12:00:00Z")).flat()

describe("the calendar", () => {
  it("has whole weeks from Monday, and marks the days of other months and today", () => {
    const days = daysOf("2026-11", "UTC", windowAt("2026-11-24T10:00:00Z", "2026-11-24T12:00:00Z"))
    expect(days.length % 7).toBe(0)
    expect(DateTime.formatIsoDate(days[0]?.date ?? at("2026-01-01T00:00:00Z"))).toBe("2026-10-26")
    expect(days.filter(({ isOther }) => !isOther).length).toBe(30)
    expect(days.filter(({ isToday }) => isToday).map(({ date }) => DateTime.formatIsoDate(date))).toEqual(["2026-11-22"])
  })

  it("shows a window on each of its days in the person's zone, also where clocks change", () => {
    const window = windowAt("2026-10-24T22:30:00Z", "2026-10-25T23:30:00Z")
    const shown = (zone: string) =>
      daysOf("2026-10", zone, window).filter(({ windows }) => windows.length > 0).map(({ date }) => DateTime.formatIsoDate(date))
    expect(shown("Europe/Berlin")).toEqual(["2026-10-25", "2026-10-26"])
    expect(shown("America/New_York")).toEqual(["2026-10-24", "2026-10-25"])
  })

  it("follows a series at its clock time, and ends where it is shown", () => {
    const first = windowAt("2026-10-18T00:00:00Z", "2026-10-18T02:00:00Z")
    const coming = seriesAfter(first, { rule: "FREQ=WEEKLY", timezone: "Europe/Berlin" }, at("2026-11-03T00:00:00Z"))
    expect(coming.map(({ from }) => DateTime.formatIso(from))).toEqual([
      "2026-10-25T00:00:00.000Z",
      "2026-11-01T01:00:00.000Z"
    ])
    expect(seriesAfter(first, { rule: "FREQ=DAILY" }, at("2036-01-01T00:00:00Z")).length).toBe(62)
    expect(seriesAfter(first, { rule: "nonsense" }, at("2036-01-01T00:00:00Z"))).toEqual([])
  })
})

describe("a row of a form", () => {
  it("is sent with its key if something else of it is filled in, and otherwise left out", () => {
    expect(formBody([
      ["components.0.componentId:key", "cmp_a"],
      ["components.0.status", ""],
      ["components.1.componentId:key", "cmp_b"],
      ["components.1.status", "degraded"],
      ["recurrence.timezone:key", "UTC"],
      ["recurrence.rule", ""]
    ])).toEqual({ components: [{ componentId: "cmp_b", status: "degraded" }] })
  })

  it("is left out with its status if its box is not checked", () => {
    expect(formBody([
      ["components.0.status:key", "major_outage"],
      ["components.7.componentId", "cmp_b"],
      ["components.7.status:key", "degraded"]
    ])).toEqual({ components: [{ componentId: "cmp_b", status: "degraded" }] })
  })
})
