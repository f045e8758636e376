import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { lastDays, uptimeDays } from "../../../src/domain/page/UptimeDays.ts"

const hour = 3_600_000
const zone = (name: string) => DateTime.zoneUnsafeMakeNamed(name)
const at = (iso: string) => DateTime.unsafeMake(iso)

/** The calendar day of an instant, computed by `Intl` alone. */
const dayIn = (timeZone: string, millis: number) =>
  new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(new Date(millis))

describe("The days of a page", () => {
  it("end with today, which ends now", () => {
    const days = lastDays(at("2026-11-20T10:33:00Z"), zone("UTC"), 3)
    expect(days.map(({ date }) => date)).toEqual(["2026-11-18", "2026-11-19", "2026-11-20"])
    expect(days.at(-1)).toEqual({
      date: "2026-11-20",
      from: Date.parse("2026-11-20T00:00:00Z"),
      to: Date.parse("2026-11-20T10:33:00Z")
    })
  })

  it("have 23 and 25 hours where the clocks change", () => {
    const spring = lastDays(at("2026-03-30T12:00:00Z"), zone("Europe/Berlin"), 3)
    expect(spring.map(({ from, to }) => (to - from) / hour)).toEqual([24, 23, 14])
    const autumn = lastDays(at("2026-10-26T12:00:00Z"), zone("Europe/Berlin"), 2)
    expect(autumn.map(({ from, to }) => (to - from) / hour)).toEqual([25, 13])
  })

  it("begin an hour late where the clocks skip midnight", () => {
    const days = lastDays(at("2024-04-27T12:00:00Z"), zone("Africa/Cairo"), 3)
    expect(days.map(({ date, from }) => [date, new Date(from).toISOString()])).toEqual([
      ["2024-04-25", "2024-04-24T22:00:00.000Z"],
      ["2024-04-26", "2024-04-25T22:00:00.000Z"],
      ["2024-04-27", "2024-04-26T21:00:00.000Z"]
    ])
  })

  const names = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "Africa/Cairo",
    "Australia/Lord_Howe",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "America/Havana"
  ]

  it.prop(
    "match the calendar, without gap or overlap, in every zone",
    [fc.constantFrom(...names), fc.integer({ min: Date.parse("2015-01-01"), max: Date.parse("2035-01-01") })],
    ([name, now]) => {
      const days = lastDays(DateTime.unsafeMake(now), zone(name), 90)
      expect(days).toHaveLength(90)
      days.forEach(({ date, from, to }, index) => {
        expect(dayIn(name, from)).toBe(date)
        expect(dayIn(name, from - 1)).not.toBe(date)
        expect(to).toBe(days[index + 1]?.from ?? now)
        expect(to).toBeGreaterThanOrEqual(from)
      })
    },
    { fastCheck: { numRuns: 30 } }
  )
})

describe("The bars of a page", () => {
  const days = lastDays(at("2026-11-20T12:00:00Z"), zone("UTC"), 3)
  const millis = (iso: string) => Date.parse(iso)

  it("split an outage over midnight between its days", () => {
    const bars = uptimeDays([
      { state: "unknown", startedAt: millis("2026-11-18T00:00Z"), endedAt: millis("2026-11-18T12:00Z") },
      { state: "operational", startedAt: millis("2026-11-18T12:00Z"), endedAt: millis("2026-11-19T23:00Z") },
      { state: "major_outage", startedAt: millis("2026-11-19T23:00Z"), endedAt: millis("2026-11-20T00:30Z") },
      { state: "operational", startedAt: millis("2026-11-20T00:30Z"), endedAt: millis("2026-11-20T12:00Z") }
    ], days)
    expect(bars).toEqual([
      { date: "2026-11-18", uptimePercent: 100, status: "operational", downSeconds: 0 },
      { date: "2026-11-19", uptimePercent: 95.833, status: "major_outage", downSeconds: 3600 },
      { date: "2026-11-20", uptimePercent: 95.833, status: "major_outage", downSeconds: 1800 }
    ])
  })

  it("show an outage of a day that had maintenance, too", () => {
    const bars = uptimeDays([
      { state: "maintenance", startedAt: millis("2026-11-18T00:00Z"), endedAt: millis("2026-11-18T01:00Z") },
      { state: "operational", startedAt: millis("2026-11-18T01:00Z"), endedAt: millis("2026-11-18T12:00Z") },
      { state: "major_outage", startedAt: millis("2026-11-18T12:00Z"), endedAt: millis("2026-11-18T13:00Z") },
      { state: "operational", startedAt: millis("2026-11-18T13:00Z"), endedAt: millis("2026-11-19T10:00Z") },
      { state: "maintenance", startedAt: millis("2026-11-19T10:00Z"), endedAt: millis("2026-11-20T12:00Z") }
    ], days)
    expect(bars.map(({ downSeconds, status }) => [status, downSeconds])).toEqual([
      ["major_outage", 3600],
      ["maintenance", 0],
      ["maintenance", 0]
    ])
  })

  it("are unknown without observations", () => {
    expect(uptimeDays([], days).map(({ status, uptimePercent }) => [status, uptimePercent])).toEqual([
      ["unknown", null],
      ["unknown", null],
      ["unknown", null]
    ])
  })
})
