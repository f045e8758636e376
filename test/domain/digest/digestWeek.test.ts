import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck } from "effect"
import { digestWeek, periodBefore } from "../../../src/domain/digest/DigestWeek.ts"

const zones = ["UTC", "Europe/Athens", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]
const instant = FastCheck.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2035, 0, 1) }).map((ms) => DateTime.unsafeMake(ms))

const local = (at: DateTime.Utc, zone: string) => DateTime.toParts(DateTime.unsafeSetZoneNamed(at, zone))

describe("the week of a digest", () => {
  it("is due on Mondays at 08:00 local time, once between two of them", () => {
    FastCheck.assert(FastCheck.property(instant, FastCheck.constantFrom(...zones), (now, zone) => {
      const { dueAt, nextAt, week } = digestWeek(now, zone)
      expect(DateTime.lessThanOrEqualTo(dueAt, now) && DateTime.greaterThan(nextAt, now)).toBe(true)
      for (const at of [dueAt, nextAt]) expect(local(at, zone)).toMatchObject({ weekDay: 1, hours: 8, minutes: 0 })
      expect(digestWeek(dueAt, zone)).toMatchObject({ week, dueAt })
      expect(digestWeek(nextAt, zone).week > week).toBe(true)
      expect(digestWeek(DateTime.subtract(nextAt, { millis: 1 }), zone).week).toBe(week)
    }))
  })

  it("covers the full local week before, and weeks follow each other without gaps", () => {
    FastCheck.assert(FastCheck.property(instant, FastCheck.constantFrom(...zones), (now, zone) => {
      const { nextAt, period } = digestWeek(now, zone)
      for (const at of [period.from, period.to]) expect(local(at, zone)).toMatchObject({ weekDay: 1, hours: 0, minutes: 0 })
      expect(digestWeek(nextAt, zone).period.from).toEqual(period.to)
      // Also the week before one in which the clock changed.
      expect(periodBefore(period, zone)).toEqual(digestWeek(DateTime.subtract(nextAt, { days: 8 }), zone).period)
    }))
  })
})
