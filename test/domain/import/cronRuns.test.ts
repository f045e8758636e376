/** The next runs of a schedule of cron on the clock of a zone. */
import { expect, it } from "vitest"
import { cronOf, runsAfter } from "../../../src/domain/import/Cron.ts"

const runs = (line: string, zone: string, now: string, count = 3): ReadonlyArray<string> | null => {
  const cron = cronOf(line)
  return cron === null ? null : runsAfter(cron, zone, Date.parse(now), count).map((at) => new Date(at).toISOString())
}

it("says the next runs after a moment, in order", () => {
  expect(runs("30 2 * * 1-5", "UTC", "2026-11-27T02:30:00Z")).toEqual([
    "2026-11-30T02:30:00.000Z",
    "2026-12-01T02:30:00.000Z",
    "2026-12-02T02:30:00.000Z"
  ])
  expect(runs("*/20 * * * *", "UTC", "2026-11-27T23:45:00Z")).toEqual([
    "2026-11-28T00:00:00.000Z",
    "2026-11-28T00:20:00.000Z",
    "2026-11-28T00:40:00.000Z"
  ])
})

it("follows the clock of the zone, and leaves out a time that the clock skips", () => {
  expect(runs("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z")).toEqual([
    "2026-03-28T01:30:00.000Z",
    "2026-03-30T00:30:00.000Z",
    "2026-03-31T00:30:00.000Z"
  ])
})

it("finds leap days, and ends for a day that never comes", () => {
  expect(runs("0 0 29 2 *", "UTC", "2026-11-27T00:00:00Z", 2)).toEqual(["2028-02-29T00:00:00.000Z", "2032-02-29T00:00:00.000Z"])
  expect(runs("0 0 31 2 *", "UTC", "2026-11-27T00:00:00Z")).toEqual([])
})
