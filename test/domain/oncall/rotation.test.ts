/** Laws of the rotation: exactly one person at any instant, and hand-offs at the local time in every zone and season. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, DateTime, FastCheck } from "effect"
import { OverrideId, UserId } from "../../../schema/Ids.ts"
import type { OverrideWindow } from "../../../src/domain/oncall/Overrides.ts"
import { currentStartDay, type RotationSettings, turnsBetween } from "../../../src/domain/oncall/Rotation.ts"
import { pagingTurns, shiftsAt, shiftsBetween } from "../../../src/domain/oncall/Shifts.ts"

const at = (iso: string): DateTime.Utc => DateTime.unsafeMake(iso)
const user = (name: string) => UserId.make(`usr_${name}`)
const zones = [
  "UTC",
  "Europe/Athens",
  "America/New_York",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "America/Sao_Paulo",
  "Asia/Kathmandu",
  "Africa/Cairo"
]

const instant = FastCheck.integer({ min: at("2010-01-01T00:00:00Z").epochMillis, max: at("2035-01-01T00:00:00Z").epochMillis })
  .map((ms) => DateTime.unsafeMake(ms))
const time = FastCheck.tuple(FastCheck.integer({ min: 0, max: 23 }), FastCheck.integer({ min: 0, max: 59 }))
  .map(([hours, minutes]) => `${hours}:${String(minutes).padStart(2, "0")}`)
const settings: FastCheck.Arbitrary<RotationSettings> = FastCheck.record({
  timezone: FastCheck.constantFrom(...zones),
  handoffDay: FastCheck.integer({ min: 0, max: 6 }),
  handoffTime: FastCheck.oneof(time, FastCheck.constantFrom("2:30", "0:00", "23:59", "02:00", "3:00")),
  participants: FastCheck.integer({ min: 1, max: 5 }).map((count) =>
    [user("0"), ...Array.from({ length: count - 1 }, (_, index) => user(String(index + 1)))] as const
  ),
  startDay: instant.map((one) => DateTime.formatIso(one).slice(0, 10))
})
const overrides = (around: DateTime.Utc): FastCheck.Arbitrary<ReadonlyArray<OverrideWindow>> =>
  FastCheck.array(
    FastCheck.record({
      from: FastCheck.integer({ min: -200, max: 600 }),
      hours: FastCheck.integer({ min: 1, max: 300 }),
      made: FastCheck.integer({ min: 0, max: 3 })
    }),
    { maxLength: 6 }
  ).map((list) =>
    list.map(({ from, hours, made }, index) => ({
      id: OverrideId.make(`ovr_${index}`),
      userId: user(`stand-in-${index}`),
      start: DateTime.add(around, { hours: from }),
      end: DateTime.add(around, { hours: from + hours }),
      createdAt: DateTime.add(around, { seconds: made })
    }))
  )
const planned = FastCheck.tuple(settings, instant).chain(([one, now]) =>
  FastCheck.record({ settings: FastCheck.constant(one), now: FastCheck.constant(now), overrides: overrides(now) })
)

/** The turns of a rotation of one layer, which is one person's each. */
const weeksBetween = (one: RotationSettings, from: DateTime.Utc, to: DateTime.Utc) =>
  Arr.map(turnsBetween(one, one.timezone, from, to), ({ end, start, users }) => ({ userId: users[0], start, end }))

/** The only shift at an instant. */
const shiftAt = (one: RotationSettings, overrides: ReadonlyArray<OverrideWindow>, now: DateTime.Utc) => {
  const shifts = shiftsAt(one, overrides, now)
  expect(shifts).toHaveLength(1)
  return shifts[0]!
}

const local = (one: DateTime.Utc, timezone: string) => DateTime.toParts(DateTime.unsafeSetZoneNamed(one, timezone))

const offset = (one: DateTime.Utc, timezone: string) => DateTime.zonedOffset(DateTime.unsafeSetZoneNamed(one, timezone))

describe("the rotation of an on-call schedule", () => {
  it("has exactly one person on call at any instant, and shifts without gaps", () => {
    FastCheck.assert(
      FastCheck.property(planned, ({ now, overrides, settings }) => {
        const to = DateTime.add(now, { days: 42 })
        const shifts = shiftsBetween(settings, overrides, now, to)
        expect(DateTime.lessThanOrEqualTo(shifts[0]?.start ?? to, now)).toBe(true)
        expect(DateTime.greaterThanOrEqualTo(shifts.at(-1)?.end ?? now, to)).toBe(true)
        for (const [index, shift] of shifts.entries()) {
          expect(DateTime.lessThan(shift.start, shift.end)).toBe(true)
          if (index > 0) expect(shift.start).toEqual(shifts[index - 1]?.end)
        }
      }),
      { numRuns: 150 }
    )
  })

  it("shows at any instant the newest override that covers it, else the person of the week", () => {
    FastCheck.assert(
      FastCheck.property(planned, FastCheck.integer({ min: 0, max: 3_600_000 * 1000 }), (one, later) => {
        const now = DateTime.add(one.now, { millis: later })
        const covering = one.overrides.filter(({ end, start }) =>
          DateTime.lessThanOrEqualTo(start, now) && DateTime.greaterThan(end, now)
        )
        const newest = covering.reduce<OverrideWindow | null>(
          (best, next) => best === null || DateTime.greaterThanOrEqualTo(next.createdAt, best.createdAt) ? next : best,
          null
        )
        const [week] = weeksBetween(one.settings, now, now)
        const shift = shiftAt(one.settings, one.overrides, now)
        expect(shift.userId).toBe(newest?.userId ?? week.userId)
        expect(pagingTurns(one.settings, one.overrides, now)[0]?.[0]).toBe(shift.userId)
        // Also from when to when: an override can begin before the hand-off and end after the next.
        const [from, to] = [DateTime.subtract(one.now, { days: 400 }), DateTime.add(now, { days: 400 })]
        const listed = shiftsBetween(one.settings, one.overrides, from, to)
        const there = listed.find(({ end, start }) => DateTime.lessThanOrEqualTo(start, now) && DateTime.greaterThan(end, now))
        expect(there).toEqual(shift)
      }),
      { numRuns: 150 }
    )
  })

  it("hands off at the local time of the hand-off day, to the next participant", () => {
    FastCheck.assert(
      FastCheck.property(settings, instant, (one, now) => {
        const weeks = weeksBetween(one, now, DateTime.add(now, { days: 42 }))
        const [hours = 0, minutes = 0] = one.handoffTime.split(":").map(Number)
        for (const [index, { start, userId }] of weeks.entries()) {
          const there = local(start, one.timezone)
          // Apia skipped a whole day, and other zones skip an hour or half of one.
          if (offset(start, one.timezone) === offset(DateTime.subtract(start, { hours: 25 }), one.timezone)) {
            expect([there.hours, there.minutes, (there.weekDay + 6) % 7]).toEqual([hours, minutes, one.handoffDay])
          }
          if (index > 0) {
            const turn = one.participants.indexOf(weeks[index - 1]?.userId ?? userId)
            expect(userId).toBe(one.participants[(turn + 1) % one.participants.length])
          }
        }
      }),
      { numRuns: 150 }
    )
  })

  it.each([
    // Berlin changes to summer time on 2026-03-29 and back on 2026-10-25, both Sundays.
    ["Europe/Berlin", 0, "09:00", "2026-03-25T12:00:00Z", "2026-03-30T07:00:00.000Z"],
    ["Europe/Berlin", 0, "09:00", "2026-10-21T12:00:00Z", "2026-10-26T08:00:00.000Z"],
    // 02:30 does not exist on the first of these days, and comes twice on the second.
    ["Europe/Berlin", 6, "02:30", "2026-03-25T12:00:00Z", "2026-03-29T01:30:00.000Z"],
    ["Europe/Berlin", 6, "02:30", "2026-10-21T12:00:00Z", "2026-10-25T00:30:00.000Z"],
    // Lord Howe moves its clock by half an hour.
    ["Australia/Lord_Howe", 6, "09:00", "2026-10-01T00:00:00Z", "2026-10-03T22:00:00.000Z"]
  ])("hands off to the second over a clock change: %s, day %i at %s", (timezone, handoffDay, handoffTime, now, next) => {
    const one = { timezone, handoffDay, handoffTime, participants: [user("a"), user("b")] as const, startDay: "2026-01-05" }
    const { end } = shiftAt(one, [], at(now))
    expect(DateTime.formatIso(end)).toBe(next)
    expect(shiftAt(one, [], DateTime.subtract(end, { millis: 1 })).userId).not.toBe(shiftAt(one, [], end).userId)
  })

  it("gives the current week to the first participant by default", () => {
    FastCheck.assert(
      FastCheck.property(settings, instant, (one, now) => {
        const fresh = { ...one, startDay: currentStartDay(one, one.timezone, now) }
        expect(shiftAt(fresh, [], now).userId).toBe(one.participants[0])
      }),
      { numRuns: 150 }
    )
  })
})
