/** The rotation around clock changes, compared with the zones' own clocks: each hand-off, and who is on call at each minute. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, DateTime, FastCheck as fc } from "effect"
import { UserId } from "../../../schema/Ids.ts"
import { currentStartDay, type RotationSettings, turnsBetween } from "../../../src/domain/oncall/Rotation.ts"
import { shiftsAt, shiftsBetween } from "../../../src/domain/oncall/Shifts.ts"
import { localTime, minutesOf } from "../../../src/domain/tools/time/LocalTime.ts"

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

/** By an hour, by half an hour, by two hours, at midnight, by a whole day, and with odd offsets. */
const zones = [
  "Europe/Athens",
  "America/New_York",
  "America/St_Johns",
  "America/Sao_Paulo",
  "America/Asuncion",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Apia",
  "Pacific/Norfolk",
  "Antarctica/Troll",
  "Africa/Cairo",
  "Asia/Beirut",
  "Asia/Pyongyang"
]

const formats = new Map(zones.map((timeZone) => [
  timeZone,
  new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23"
  })
]))

/** The time on the wall clock, as ms as if it were UTC. */
const wallOf = (at: number, zone: string): number => {
  const parts = new Map(formats.get(zone)?.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? Number.NaN
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"))
}
const offsetOf = (at: number, zone: string): number => wallOf(at, zone) - at

/** The instants from 2008 to 2030 at which a zone's offset changes. */
const changesOf = (zone: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = Date.UTC(2008, 0, 1); at < Date.UTC(2030, 0, 1); at += day) {
    if (offsetOf(at, zone) === offsetOf(at + day, zone)) continue
    let [before, after] = [at, at + day]
    while (after - before > minute) {
      const middle = before + Math.floor((after - before) / 2 / minute) * minute
      if (offsetOf(middle, zone) === offsetOf(before, zone)) before = middle
      else after = middle
    }
    found.push(after)
  }
  return found
}
const changes = new Map(zones.map((zone) => [zone, changesOf(zone)] as const))

/** When a wall clock shows a time first; if it skips the time, as long after the change as the time is after its start. */
const expectedAt = (wall: number, zone: string): number => {
  const candidates = [-2, -1, 0, 1, 2].map((days) => wall - offsetOf(wall + days * day - offsetOf(wall, zone), zone))
  const shown = candidates.filter((at) => wallOf(at, zone) === wall)
  if (shown.length > 0) return Math.min(...shown)
  const change = changes.get(zone)?.find((at) => wallOf(at - second, zone) < wall && wall < wallOf(at, zone))
  return change === undefined ? Number.NaN : wall - offsetOf(change - second, zone)
}

const users = ["a", "b", "c"].map((name) => UserId.make(`usr_${name}`))

interface Around {
  readonly change: number
  readonly settings: RotationSettings
}

const isoDay = (wall: number) => new Date(wall).toISOString().slice(0, 10)

/** A rotation that hands off near a clock change, mostly within the time that is skipped or comes twice. */
const around: fc.Arbitrary<Around> = fc.constantFrom(...zones).chain((zone) =>
  fc.record({
    change: fc.constantFrom(...(changes.get(zone) ?? [])),
    minutes: fc.oneof(
      fc.integer({ min: -180, max: 180 }),
      fc.constantFrom(-60, -30, -1, 0, 1, 15, 30, 59, 60),
      fc.integer({ min: -1500, max: 1500 })
    ),
    old: fc.boolean(),
    count: fc.integer({ min: 1, max: 3 }),
    weeks: fc.integer({ min: -60, max: 60 }),
    days: fc.integer({ min: 0, max: 6 })
  }).map(({ change, count, days, minutes, old, weeks }) => {
    const wall = change + offsetOf(old ? change - second : change, zone) + minutes * minute
    return {
      change,
      settings: {
        timezone: zone,
        handoffDay: (new Date(wall).getUTCDay() + 6) % 7,
        handoffTime: new Date(wall).toISOString().slice(11, 16),
        participants: [users[0]!, ...users.slice(1, count)] as const,
        startDay: isoDay(wall + (weeks * 7 + days) * day)
      }
    }
  })
)

/** The turns of a rotation of one layer, which is one person's each. */
const weeksBetween = (one: RotationSettings, from: DateTime.Utc, to: DateTime.Utc) =>
  Arr.map(turnsBetween(one, one.timezone, from, to), ({ end, start, users }) => ({ userId: users[0], start, end }))

/** The only shift at an instant. */
const shiftAt = (one: RotationSettings, overrides: ReadonlyArray<never>, now: DateTime.Utc) => {
  const shifts = shiftsAt(one, overrides, now)
  expect(shifts).toHaveLength(1)
  return shifts[0]!
}

const at = (ms: number) => DateTime.unsafeMake(ms)
const ms = DateTime.toEpochMillis

describe("the rotation around a clock change", () => {
  it("hands off when the clock on the wall shows the time, once each local week", () => {
    fc.assert(
      fc.property(around, ({ change, settings }) => {
        const { handoffDay, handoffTime, timezone } = settings
        const weeks = weeksBetween(settings, at(change - 22 * day), at(change + 22 * day))
        const starts = weeks.map(({ start }) => ms(start))
        const today = Math.floor(wallOf(change, timezone) / day) * day
        const expected = Array.from({ length: 61 }, (_, index) => today + (index - 30) * day)
          .filter((date) => (new Date(date).getUTCDay() + 6) % 7 === handoffDay)
          .map((date) => expectedAt(date + minutesOf(handoffTime) * minute, timezone))
        const within = (one: number) => one > change - 20 * day && one < change + 20 * day
        expect(starts.filter(within)).toEqual(expected.filter(within))
      }),
      { numRuns: 600 }
    )
  })

  it("has exactly one person on call at any minute, and the next one after each hand-off", () => {
    fc.assert(
      fc.property(around, fc.integer({ min: 11, max: 97 }), ({ change, settings }, step) => {
        const { participants } = settings
        const weeks = weeksBetween(settings, at(change - 3 * day), at(change + 3 * day))
        for (const [index, { end, start, userId }] of weeks.entries()) {
          expect(ms(start)).toBeLessThan(ms(end))
          const next = weeks[index + 1]
          if (next === undefined) continue
          expect(ms(next.start)).toBe(ms(end))
          expect(next.userId).toBe(participants[(participants.indexOf(userId) + 1) % participants.length])
        }
        const shifts = shiftsBetween(settings, [], at(change - 3 * day), at(change + 3 * day))
        for (let one = change - 26 * hour; one <= change + 26 * hour; one += step * minute) {
          const covering = weeks.filter(({ end, start }) => ms(start) <= one && one < ms(end))
          expect(covering).toHaveLength(1)
          const { end, start, userId } = shiftAt(settings, [], at(one))
          expect(userId).toBe(covering[0]?.userId)
          expect(ms(start) <= one && one < ms(end)).toBe(true)
          expect(shifts.filter((shift) => ms(shift.start) <= one && one < ms(shift.end)).map((shift) => shift.userId))
            .toEqual([userId])
        }
      }),
      { numRuns: 40 }
    )
  })

  it("changes the person at the hand-off, to the millisecond, if there are several", () => {
    fc.assert(
      fc.property(around, ({ change, settings }) => {
        for (const { end, start, userId } of weeksBetween(settings, at(change - 8 * day), at(change + 8 * day))) {
          expect(shiftAt(settings, [], start).userId).toBe(userId)
          expect(shiftAt(settings, [], at(ms(end) - 1)).userId).toBe(userId)
          if (settings.participants.length > 1) expect(shiftAt(settings, [], end).userId).not.toBe(userId)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("gives the current week to the first participant of a new schedule", () => {
    fc.assert(
      fc.property(around, fc.integer({ min: -1600, max: 1600 }), ({ change, settings }, minutes) => {
        const now = at(change + minutes * minute)
        const fresh = { ...settings, startDay: currentStartDay(settings, settings.timezone, now) }
        expect(shiftAt(fresh, [], now).userId).toBe(users[0])
      }),
      { numRuns: 400 }
    )
  })

  it("takes the day that Apia skipped as the one after it", () => {
    const { epochMillis } = localTime(Date.UTC(2011, 11, 30) / day, 9 * 60, "Pacific/Apia")
    expect(new Date(epochMillis).toISOString()).toBe("2011-12-30T19:00:00.000Z")
    expect(new Date(wallOf(epochMillis, "Pacific/Apia")).toISOString()).toBe("2011-12-31T09:00:00.000Z")
  })
})
