/** When a schedule expects pings: lines of cron, calendar expressions, and the nights on which clocks change. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  expectedAfter,
  expectedTimes,
  scheduleProblem,
  timeAfter,
  type Written
} from "../../../../src/domain/monitor/schedule/Schedule.ts"
import { previewOf } from "../../../../src/domain/monitor/schedule/SchedulePreview.ts"
import { shapeOf } from "../../../../src/domain/monitor/schedule/ScheduleShape.ts"

const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]
const dayMs = 86_400_000
const minuteMs = 60_000
const start = Date.UTC(2026, 0, 1)

const zone = fc.constantFrom(...zones)
const instants = fc.integer({ min: start, max: start + 3 * 366 * dayMs })
const clocks = fc.record({ hour: fc.nat({ max: 23 }), minute: fc.nat({ max: 59 }) })

const iso = (times: ReadonlyArray<number>) => times.map((at) => new Date(at).toISOString().slice(0, 16))

const next = (schedule: string, timezone: string, from: string, count = 3) =>
  iso(expectedTimes({ schedule, timezone }, Date.parse(from), count))

/** The local time of an instant as if it were UTC, both in ms, as the runtime says it. */
const clockAt = (instant: number, timeZone: string): number =>
  Date.parse(
    `${
      new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(instant).replace(" ", "T")
    }Z`
  )

/** The time of the zone, as minutes of its day. */
const shownAt = (at: number, timezone: string) => (clockAt(at, timezone) % dayMs) / minuteMs
const dayAt = (at: number, timezone: string) => Math.floor(clockAt(at, timezone) / dayMs)

/** The minutes of a local day that its clock shows never, and those that it shows twice. */
const countOf = (local: number, timezone: string) => {
  let count = 0
  for (let at = local - 26 * 60 * minuteMs; at <= local + 26 * 60 * minuteMs; at += 30 * minuteMs) {
    if (clockAt(at + (local % (30 * minuteMs)), timezone) === local) count++
  }
  return count
}

describe("a line of cron", () => {
  it("of one time a day comes once on each day whose clock shows it, and never on another, in any zone", () => {
    fc.assert(
      fc.property(zone, clocks, instants, (timezone, { hour, minute }, after) => {
        const written = { schedule: `${minute} ${hour} * * *`, timezone }
        const found = expectedTimes(written, after, 5)
        expect(found.every((at) => shownAt(at, timezone) === hour * 60 + minute)).toBe(true)
        const days = found.map((at) => dayAt(at, timezone))
        expect(new Set(days).size).toBe(5)
        // Each day between that has no time is one whose clock skips it.
        for (let day = (days[0] ?? 0) + 1; day < (days.at(-1) ?? 0); day++) {
          if (!days.includes(day)) expect(countOf(day * dayMs + (hour * 60 + minute) * minuteMs, timezone)).toBe(0)
        }
      }),
      { numRuns: 300 }
    )
  })

  it("comes later than asked for, whenever that is, and earlier answers do not change later ones", () => {
    const schedules = fc.constantFrom(
      "30 2 * * *",
      "*/15 * * * *",
      "0 */2 * * *",
      "15 1,2,3 * * 0",
      "Mon..Fri 02:30",
      "*-*-* *:0/20"
    )
    fc.assert(
      fc.property(zone, schedules, instants, fc.nat({ max: 3 * dayMs }), (timezone, schedule, one, more) => {
        const written = { schedule, timezone }
        const [first, second] = [expectedAfter(written, one), expectedAfter(written, one + more)]
        expect(first).toBeGreaterThan(one)
        expect(second).toBeGreaterThan(one + more)
        expect(second).toBe(expectedTimes(written, one + more, 1)[0])
        if (first !== null && first > one + more) expect(second).toBe(first)
      })
    )
  })

  it("at 02:30 does not come on the night on which Berlin skips it, and comes once on the night that has it twice", () => {
    expect(next("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z")).toEqual([
      "2026-03-28T01:30",
      "2026-03-30T00:30",
      "2026-03-31T00:30"
    ])
    expect(next("30 2 * * *", "Europe/Berlin", "2026-10-24T20:00:00Z", 2)).toEqual(["2026-10-25T00:30", "2026-10-26T01:30"])
    expect(next("30 2,14 * * *", "Europe/Berlin", "2026-10-24T20:00:00Z", 2)).toEqual(["2026-10-25T00:30", "2026-10-25T13:30"])
  })

  it("at 02:15 follows the half hour of Lord Howe", () => {
    expect(next("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T00:00:00Z", 3)).toEqual([
      "2026-10-02T15:45",
      "2026-10-04T15:15",
      "2026-10-05T15:15"
    ])
    expect(next("45 1 * * *", "Australia/Lord_Howe", "2026-04-03T20:00:00Z", 2)).toEqual(["2026-04-04T14:45", "2026-04-05T15:15"])
  })

  it("with a star or a step goes on through the hour that comes twice", () => {
    expect(next("*/30 * * * *", "America/New_York", "2026-11-01T04:45:00Z", 5)).toEqual([
      "2026-11-01T05:00",
      "2026-11-01T05:30",
      "2026-11-01T06:00",
      "2026-11-01T06:30",
      "2026-11-01T07:00"
    ])
  })

  it("of weekdays never comes on a weekend", () => {
    fc.assert(fc.property(zone, clocks, instants, (timezone, { hour, minute }, after) => {
      const days = expectedTimes({ schedule: `${minute} ${hour} * * 1-5`, timezone }, after, 7)
        .map((at) => new Date(clockAt(at, timezone)).getUTCDay())
      expect(days.some((day) => day === 0 || day === 6)).toBe(false)
    }))
  })

  it("has names, steps, lists, the last day, the nth weekday, seconds, nicknames, and dates that stars narrow", () => {
    expect(next("0 9 * jan MON", "UTC", "2026-12-30T00:00:00Z", 2)).toEqual(["2027-01-04T09:00", "2027-01-11T09:00"])
    expect(next("0 0 L * *", "UTC", "2027-02-01T00:00:00Z", 2)).toEqual(["2027-02-28T00:00", "2027-03-31T00:00"])
    expect(next("0 6 * * 5#2", "UTC", "2026-11-01T00:00:00Z", 2)).toEqual(["2026-11-13T06:00", "2026-12-11T06:00"])
    expect(next("0 6 * * 5L", "UTC", "2026-11-01T00:00:00Z", 1)).toEqual(["2026-11-27T06:00"])
    expect(next("30 0 12 * * *", "UTC", "2026-11-01T00:00:00Z", 1)).toEqual(["2026-11-01T12:00"])
    expect(next("@weekly", "UTC", "2026-11-01T00:00:00Z", 1)).toEqual(["2026-11-08T00:00"])
    expect(next("5/20 3 * * *", "UTC", "2026-11-01T00:00:00Z")).toEqual([
      "2026-11-01T03:05",
      "2026-11-01T03:25",
      "2026-11-01T03:45"
    ])
    // Either the first or a Monday; with a star in front, both.
    expect(next("0 0 1 * 1", "UTC", "2026-11-28T00:00:00Z", 2)).toEqual(["2026-11-30T00:00", "2026-12-01T00:00"])
    expect(next("0 0 */2 * 1", "UTC", "2026-11-28T00:00:00Z", 2)).toEqual(["2026-12-07T00:00", "2026-12-21T00:00"])
  })

  it("says what is wrong with it", () => {
    const problem = (schedule: string) => scheduleProblem({ schedule, timezone: "UTC" })
    expect(problem("61 * * * *")).toContain("minute")
    expect(problem("@reboot")).toContain("no schedule")
    expect(problem("30 2 * * * /usr/bin/backup --all")).toContain("no command")
    expect(problem("30 2 * * * /usr/bin/backup")).toContain("no command")
    expect(problem("2026-01-01T00:00:00")).not.toBeNull()
    expect(problem("H 2 * * *")).toContain("\"H\"")
    expect(problem("Mon 10:00 Europe/Berlin")).toContain("Europe/Berlin")
  })

  it("that never comes is known as such, and one that the clock always skips", () => {
    const shape = (schedule: string) => shapeOf({ schedule, timezone: "Europe/Berlin" })
    expect([shape("0 0 31 2 *"), shape("30 2 * 3 7L"), shape("0 0 31 4,6 *")]).toEqual([null, null, null])
    expect(shape("0 0 29 2 *")).toEqual({ shortestSec: 31 * 86_400, longestSec: 31 * 86_400 })
    expect(shape("*/5 9-17 * * 1-5")).toEqual({ shortestSec: 300, longestSec: 227_100 })
    expect(shape("0,10 * * * * *")).toMatchObject({ shortestSec: 10 })
  })
})

describe("a calendar expression of systemd", () => {
  it("has weekdays, dates, times, ranges, steps, years and words", () => {
    expect(next("Mon..Fri 18:00", "Europe/Berlin", "2026-11-27T12:00:00Z", 2)).toEqual(["2026-11-27T17:00", "2026-11-30T17:00"])
    expect(next("*-*-01 04:00:00", "UTC", "2026-11-27T00:00:00Z", 2)).toEqual(["2026-12-01T04:00", "2027-01-01T04:00"])
    expect(next("Sat,Sun *-*-1..7 12:00", "UTC", "2026-11-27T00:00:00Z", 2)).toEqual(["2026-12-05T12:00", "2026-12-06T12:00"])
    expect(next("*:0/20", "UTC", "2026-11-27T00:00:00Z", 3)).toEqual(["2026-11-27T00:20", "2026-11-27T00:40", "2026-11-27T01:00"])
    expect(next("2027-02~01 03:00", "UTC", "2026-11-27T00:00:00Z", 2)).toEqual(["2027-02-28T03:00"])
    expect(next("quarterly", "UTC", "2026-11-27T00:00:00Z", 2)).toEqual(["2027-01-01T00:00", "2027-04-01T00:00"])
    expect(next("12-24", "UTC", "2026-11-27T00:00:00Z", 1)).toEqual(["2026-12-24T00:00"])
    expect(next("Thursday", "UTC", "2026-11-27T00:00:00Z", 1)).toEqual(["2026-12-03T00:00"])
    expect(next("2026..2028/2-01-01", "UTC", "2026-11-27T00:00:00Z", 3)).toEqual(["2028-01-01T00:00"])
  })

  it("counts a time that the clock shows twice once, an hourly one too", () => {
    expect(next("hourly", "Europe/Berlin", "2026-10-24T23:30:00Z", 3)).toEqual([
      "2026-10-25T00:00",
      "2026-10-25T02:00",
      "2026-10-25T03:00"
    ])
  })

  it("says what is wrong with it", () => {
    const problem = (schedule: string) => scheduleProblem({ schedule, timezone: "UTC" })
    expect(problem("12:65")).toContain("\"65\" is no minute")
    expect(problem("Fri..Mon 10:00")).toContain("no day of the week")
    expect(problem("*-*~03")).toContain("the last day")
    expect(problem("Mon 00:00:00.5")).toContain("no second")
    expect(problem("10:00:00:00")).toContain("no time")
    expect(problem("")).toContain("not understood")
  })
})

describe("a preview", () => {
  const notes = (schedule: string, timezone: string, from: string) =>
    previewOf({ schedule, timezone }, Date.parse(from), 3).map(({ local, note }) => [local, note?.slice(0, 30) ?? null])

  it("shows the clock of the zone, and says where a change of the clock moves a time", () => {
    expect(notes("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z")).toEqual([
      ["2026-03-28T02:30:00+01:00", null],
      ["2026-03-30T02:30:00+02:00", "The clock skips a time of the "],
      ["2026-03-31T02:30:00+02:00", null]
    ])
    expect(notes("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z")).toEqual([
      ["2026-10-25T02:30:00+02:00", "The clock shows this time twic"],
      ["2026-10-26T02:30:00+01:00", null],
      ["2026-10-27T02:30:00+01:00", null]
    ])
    expect(notes("0 * * * *", "America/New_York", "2026-11-01T04:30:00Z").slice(0, 2)).toEqual([
      ["2026-11-01T01:00:00-04:00", null],
      ["2026-11-01T01:00:00-05:00", "The clock shows this time agai"]
    ])
    expect(notes("0 0 1 * *", "Asia/Kathmandu", "2026-11-01T04:30:00Z")[0]).toEqual(["2026-12-01T00:00:00+05:45", null])
  })

  it("ends with a schedule that the clock always skips", () => {
    expect(previewOf({ schedule: "30 2 * 3 7L", timezone: "Europe/Berlin" }, start, 5)).toEqual([])
  })
})

it("answers any text and any pattern, also those that are met once in centuries", () => {
  const field = (most: number) =>
    fc.oneof(
      fc.constantFrom("*", "?", `*/${most}`, `${most}`, "0", "1-5", "L", "15W", "+1#5", "5L", "+0#5", "29-31", "0-59/58"),
      fc.nat({ max: most }).map(String)
    )
  const lines = fc.tuple(field(59), field(59), field(23), field(31), field(12), field(7)).map((fields) => fields.join(" "))
  const texts = fc.oneof(
    lines,
    fc.string({ maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(..."0123456789*/,-#LW+ :.~MonFri"), maxLength: 60 })
  )
  let looks = 0
  fc.assert(
    fc.property(texts, zone, (schedule, timezone) => {
      const written: Written = { schedule, timezone }
      const shape = scheduleProblem(written) === null ? shapeOf(written) : null
      if (shape !== null) {
        looks++
        expect(shape.shortestSec).toBeLessThanOrEqual(shape.longestSec)
        expect(timeAfter(written, start)?.at).toBeGreaterThan(start)
      }
    }),
    { numRuns: 400 }
  )
  expect(looks).toBeGreaterThan(10)
})
