import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { calendarWeeks } from "../../../src/domain/oncall/CalendarWeeks.ts"

const zoned = (iso: string, zone: string) => DateTime.unsafeMakeZoned(iso, { timeZone: zone })
const shift = (start: string, end: string) => ({ start: DateTime.unsafeMake(start), end: DateTime.unsafeMake(end) })

describe("The weeks of a calendar", () => {
  it("begin on the Monday of the current week, and follow each other without a gap", () => {
    const instant = fc.date({ min: new Date("2020-01-01"), max: new Date("2035-01-01"), noInvalidDate: true })
    fc.assert(fc.property(instant, fc.constantFrom("UTC", "Europe/Athens", "America/Santiago", "Asia/Kathmandu"), (at, zone) => {
      const now = DateTime.unsafeMakeZoned(at, { timeZone: zone })
      const days = calendarWeeks(now, 6, []).flat()
      expect(days).toHaveLength(42)
      expect(days.slice(0, 7).some(({ date }) => date === DateTime.formatIsoDate(now))).toBe(true)
      expect(new Date(`${days[0]?.date}T00:00:00Z`).getUTCDay()).toBe(1)
      for (const [index, day] of days.entries()) {
        const next = days[index + 1]
        if (next !== undefined) expect(DateTime.toEpochMillis(next.start)).toBe(DateTime.toEpochMillis(day.end))
      }
    }))
  })

  it("have days of 23 and 25 hours where the clocks change", () => {
    const hours = (iso: string, date: string) =>
      calendarWeeks(zoned(iso, "Europe/Berlin"), 1, []).flat().filter((day) => day.date === date)
        .map(({ end, start }) => (DateTime.toEpochMillis(end) - DateTime.toEpochMillis(start)) / 3_600_000)
    expect(hours("2026-03-26T12:00:00Z", "2026-03-29")).toEqual([23])
    expect(hours("2026-10-22T12:00:00Z", "2026-10-25")).toEqual([25])
  })

  it("cut a shift at midnight of the zone", () => {
    const [days = []] = calendarWeeks(zoned("2026-11-16T12:00:00Z", "Europe/Athens"), 1, [
      shift("2026-11-17T07:00:00Z", "2026-11-18T10:00:00Z")
    ])
    expect(days.map(({ pieces }) => pieces.map(({ begins, from, to }) => [begins, from, to]))).toEqual([
      [],
      [[true, 9 / 24, 1]],
      [[false, 0, 12 / 24]],
      [],
      [],
      [],
      []
    ])
  })
})
