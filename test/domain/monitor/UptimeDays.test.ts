/** The days of a monitor's uptime in a time zone. */
import { DateTime } from "effect"
import { expect, it } from "vitest"
import { dayStarts, uptimeDays } from "../../../src/domain/monitor/UptimeDays.ts"

const hour = 3_600_000

it("begins each day at its midnight in the zone, also around changes of the clock", () => {
  const now = DateTime.unsafeMake("2026-10-26T12:00:00Z")
  const starts = dayStarts(now, "Europe/Berlin", 3)
  expect(starts.map(({ at, date }) => [date, new Date(at).toISOString()])).toEqual([
    ["2026-10-24", "2026-10-23T22:00:00.000Z"],
    ["2026-10-25", "2026-10-24T22:00:00.000Z"],
    ["2026-10-26", "2026-10-25T23:00:00.000Z"]
  ])
  expect(dayStarts(now, "UTC", 366)).toHaveLength(366)
})

it("is a share of what was observed of the day, and of the part of today that is over", () => {
  const starts = [{ date: "2026-11-25", at: 0 }, { date: "2026-11-26", at: 24 * hour }, { date: "2026-11-27", at: 48 * hour }]
  const tallies = [
    { goodMs: 0, badMs: 0 },
    { goodMs: 9 * hour, badMs: 3 * hour },
    { goodMs: 6 * hour, badMs: 0 }
  ]
  expect(uptimeDays(starts, tallies, 54 * hour).map(({ date, downSec, uptime }) => [date, downSec, uptime])).toEqual([
    ["2026-11-25", 0, null],
    ["2026-11-26", 3 * 3600, { percent: 75, coveragePercent: 50 }],
    ["2026-11-27", 0, { percent: 100, coveragePercent: 100 }]
  ])
})
