import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, Either, FastCheck as fc, Option } from "effect"
import { seriesRefusals } from "../../../src/domain/incident/MaintenanceClock.ts"
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

  it("ends with the last day as the clocks of its zone show it", () => {
    const auckland = DateTime.zoneUnsafeMakeNamed("Pacific/Auckland")
    const losAngeles = DateTime.zoneUnsafeMakeNamed("America/Los_Angeles")
    // 02:00 on 28 December in Auckland, which is 13 hours ahead of UTC, and 22:00 on the 27th in Los Angeles, 8 hours behind it.
    const [morning, evening] = ["2026-12-27T13:00:00Z", "2026-12-28T06:00:00Z"]
    for (const until of ["20261231", "20261231T235959", "20261231T020000"]) {
      expect(starts(`FREQ=DAILY;UNTIL=${until}`, morning, 10, auckland).at(-1), until).toBe("2026-12-30T13:00")
    }
    for (const until of ["20261231", "20261231T235959", "20261231T220000"]) {
      expect(starts(`FREQ=DAILY;UNTIL=${until}`, evening, 10, losAngeles).at(-1), until).toBe("2027-01-01T06:00")
    }
    expect(starts("FREQ=DAILY;UNTIL=20261231T015959", morning, 10, auckland).at(-1)).toBe("2026-12-29T13:00")
    // An instant is one in every zone.
    expect(starts("FREQ=DAILY;UNTIL=20261231T235959Z", evening, 10, losAngeles).at(-1)).toBe("2026-12-31T06:00")
    // The clocks go back on 1 November at 02:00: the day has 25 hours.
    expect(starts("FREQ=DAILY;UNTIL=20261101", "2026-10-31T06:30:00Z", 10, losAngeles)).toEqual([
      "2026-10-31T06:30",
      "2026-11-01T06:30",
      "2026-11-02T07:30"
    ])
  })

  it("ends on its last day in the zone, whatever the zone and the clock time", () => {
    const zones = fc.constantFrom(
      "UTC",
      "Pacific/Auckland",
      "Pacific/Kiritimati",
      "Pacific/Pago_Pago",
      "America/New_York",
      "Asia/Kolkata"
    )
    fc.assert(
      fc.property(
        zones,
        fc.integer({ min: 0, max: 4 * 365 * 24 * 60 }),
        fc.integer({ min: 0, max: 300 }),
        (name, minute, days) => {
          const zone = DateTime.zoneUnsafeMakeNamed(name)
          const first = DateTime.unsafeMake(1_700_000_000_000 + minute * 60_000)
          const dayOf = (at: DateTime.Utc) => DateTime.formatIsoDate(DateTime.setZone(at, zone))
          const last = DateTime.formatIsoDate(DateTime.add(DateTime.unsafeMake(`${dayOf(first)}T00:00:00Z`), { days }))
          const rule = ruleOf(`FREQ=DAILY;UNTIL=${last.replaceAll("-", "")}`)
          const almost = DateTime.subtract(DateTime.unsafeMake(`${last}T00:00:00Z`), { days: 2 })
          const begins: Array<string> = [dayOf(first)]
          for (let at = nextStart(rule, zone, first, almost); Option.isSome(at); at = nextStart(rule, zone, first, at.value)) {
            begins.push(dayOf(at.value))
          }
          expect(begins.at(-1)).toBe(last)
        }
      ),
      { numRuns: 30 }
    )
  })

  it("goes on however long ago it began, and however long its interval is", () => {
    const after = DateTime.unsafeMake("2046-03-05T12:00:00Z")
    const next = (text: string, first: string) =>
      Option.getOrNull(Option.map(nextStart(ruleOf(text), utc, DateTime.unsafeMake(first), after), DateTime.formatIso))
    expect(next("FREQ=WEEKLY", "2026-03-03T03:00:00Z")).toBe("2046-03-06T03:00:00.000Z")
    expect(next("FREQ=MONTHLY;INTERVAL=300", "2026-03-03T03:00:00Z")).toBe("2051-03-03T03:00:00.000Z")
    expect(next("FREQ=MONTHLY;INTERVAL=36", "2024-02-29T03:00:00Z")).toBe("2048-02-29T03:00:00.000Z")
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
        "FREQ=DAILY;UNTIL=20260230",
        "FREQ=DAILY;UNTIL=20260228T246000",
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

  it("is refused if any of its windows begins before the one before it ends", () => {
    const refused = (rule: string, start: string, hours: number, timezone = "UTC") => {
      const scheduledStart = DateTime.unsafeMake(start)
      const scheduledEnd = DateTime.addDuration(scheduledStart, Duration.hours(hours))
      return seriesRefusals({ recurrence: { rule, timezone }, scheduledStart, scheduledEnd }).map(({ path }) => path)
    }
    // Monday to Thursday are three days, Thursday to Friday one.
    expect(refused("FREQ=WEEKLY;BYDAY=MO,TH,FR", "2026-11-30T22:00:00Z", 30)).toEqual(["recurrence.rule"])
    expect(refused("FREQ=WEEKLY;BYDAY=MO,TH,FR;COUNT=2", "2026-11-30T22:00:00Z", 30)).toEqual([])
    expect(refused("FREQ=WEEKLY;BYDAY=MO,TH,FR", "2026-11-30T22:00:00Z", 24)).toEqual([])
    // The 28th and the 1st are a day apart in a February of 28 days alone.
    expect(refused("FREQ=MONTHLY;BYMONTHDAY=28,1", "2026-11-28T00:00:00Z", 36)).toEqual(["recurrence.rule"])
    // The day of 23 hours is a whole day.
    expect(refused("FREQ=DAILY", "2026-03-20T23:00:00Z", 24, "Europe/Berlin")).toEqual([])
    // The weekday is that of the time zone.
    expect(refused("FREQ=WEEKLY;BYDAY=TU,FR", "2026-11-30T23:30:00Z", 73, "Europe/Berlin")).toEqual(["recurrence.rule"])
    expect(refused("FREQ=WEEKLY;BYDAY=TU,FR", "2026-11-30T23:30:00Z", 72, "Europe/Berlin")).toEqual([])
  })
})
