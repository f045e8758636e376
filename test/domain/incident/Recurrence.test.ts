import { describe, expect, it } from "@effect/vitest"
import { DateTime, Either, FastCheck as fc, Option } from "effect"
import { nextStart, parseRule, type RecurrenceRule } from "../../../src/domain/incident/Recurrence.ts"

const ruleOf = (text: string): RecurrenceRule => Either.getOrThrowWith(parseRule(text), (message) => new Error(message))

const berlin = DateTime.zoneUnsafeMakeNamed("Europe/Berlin")
const utc = DateTime.zoneUnsafeMakeNamed("UTC")

/** The first starts of a series, with the first one. */
const starts = (text: string, first: string, count: number, zone: DateTime.TimeZone = utc): ReadonlyArray<string> => {
  const rule = ruleOf(text)
  const begin = DateTime.unsafeMake(first)
  const all = [begin]
  while (all.length < count) {
    const next = nextStart(rule, zone, begin, all.at(-1) ?? begin)
    if (Option.isNone(next)) break
    all.push(next.value)
  }
  return all.map((at) => DateTime.formatIso(at).slice(0, 16))
}

describe("a recurring maintenance window", () => {
  it("keeps its clock time across a change of the clocks", () => {
    expect(starts("FREQ=WEEKLY", "2026-10-18T01:00:00Z", 3, berlin)).toEqual([
      "2026-10-18T01:00",
      "2026-10-25T02:00",
      "2026-11-01T02:00"
    ])
  })

  it("follows days of the week, of the month, and the nth weekday", () => {
    expect(starts("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", "2026-11-02T22:00:00Z", 5)).toEqual([
      "2026-11-02T22:00",
      "2026-11-05T22:00",
      "2026-11-16T22:00",
      "2026-11-19T22:00",
      "2026-11-30T22:00"
    ])
    expect(starts("RRULE:FREQ=MONTHLY;BYDAY=1SU", "2026-11-01T03:00:00Z", 4)).toEqual([
      "2026-11-01T03:00",
      "2026-12-06T03:00",
      "2027-01-03T03:00",
      "2027-02-07T03:00"
    ])
    expect(starts("FREQ=MONTHLY;BYDAY=-1FR", "2026-11-27T03:00:00Z", 3)).toEqual([
      "2026-11-27T03:00",
      "2026-12-25T03:00",
      "2027-01-29T03:00"
    ])
    // Months without the day are left out.
    expect(starts("FREQ=MONTHLY", "2026-12-31T03:00:00Z", 3)).toEqual([
      "2026-12-31T03:00",
      "2027-01-31T03:00",
      "2027-03-31T03:00"
    ])
    expect(starts("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-12-31T03:00:00Z", 3)).toEqual([
      "2026-12-31T03:00",
      "2027-01-31T03:00",
      "2027-02-28T03:00"
    ])
  })

  it("ends after its count, after its last date, and when no day fits", () => {
    expect(starts("FREQ=DAILY;COUNT=3", "2026-11-01T03:00:00Z", 10)).toHaveLength(3)
    expect(starts("FREQ=DAILY;UNTIL=20261103", "2026-11-01T03:00:00Z", 10)).toHaveLength(3)
    expect(starts("FREQ=DAILY;UNTIL=20261103T025959Z", "2026-11-01T03:00:00Z", 10)).toHaveLength(2)
    expect(starts("FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=1MO", "2026-11-01T03:00:00Z", 10)).toHaveLength(1)
  })

  it("refuses rules that it cannot follow", () => {
    for (
      const text of [
        "",
        "often",
        "FREQ=YEARLY",
        "FREQ=DAILY;BYHOUR=3",
        "FREQ=WEEKLY;BYDAY=1MO",
        "FREQ=WEEKLY;BYMONTHDAY=3",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;COUNT=x",
        "FREQ=DAILY;COUNT=3;UNTIL=20270101",
        "FREQ=DAILY;UNTIL=tomorrow",
        "FREQ=MONTHLY;BYDAY=6MO",
        "FREQ=WEEKLY;WKST=SU"
      ]
    ) expect(Either.isLeft(parseRule(text)), text).toBe(true)
  })

  it("always begins later than the one before, at the same local time, whatever the rule and the zone", () => {
    const weekday = fc.constantFrom("MO", "TU", "WE", "TH", "FR", "SA", "SU")
    const rules = fc.oneof(
      fc.integer({ min: 1, max: 40 }).map((interval) => `FREQ=DAILY;INTERVAL=${interval}`),
      fc.tuple(fc.integer({ min: 1, max: 8 }), fc.uniqueArray(weekday, { minLength: 1 })).map(([interval, days]) =>
        `FREQ=WEEKLY;INTERVAL=${interval};BYDAY=${days.join(",")}`
      ),
      fc.tuple(fc.constantFrom(1, 2, -1, -2), weekday).map(([nth, day]) => `FREQ=MONTHLY;BYDAY=${nth}${day}`)
    )
    const zones = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")
    const local = (at: DateTime.Utc, zone: DateTime.TimeZone) => {
      const { hours, minutes } = DateTime.toParts(DateTime.setZone(at, zone))
      return hours * 60 + minutes
    }
    fc.assert(
      fc.property(
        rules,
        zones,
        fc.integer({ min: 0, max: 40_000_000 }),
        fc.integer({ min: 0, max: 400 }),
        (text, name, minute, days) => {
          const zone = DateTime.zoneUnsafeMakeNamed(name)
          const first = DateTime.unsafeMake(minute * 60_000)
          const after = DateTime.add(first, { days })
          const next = nextStart(ruleOf(text), zone, first, after)
          if (Option.isNone(next)) throw new Error(`${text} ends`)
          expect(DateTime.greaterThan(next.value, after)).toBe(true)
          // An hour that a change of the clocks leaves out is the only exception.
          const moved = Math.abs(local(next.value, zone) - local(first, zone))
          expect(moved === 0 || moved === 60 || moved === 30).toBe(true)
        }
      ),
      { numRuns: 150 }
    )
  })
})
