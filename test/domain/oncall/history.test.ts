/** Who was on call stays as it was: by the rotations that applied, and by overrides from when they were made. */
import { expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { OverrideId, UserId } from "../../../schema/Ids.ts"
import { type RotationPeriod, shiftsInHistory } from "../../../src/domain/oncall/History.ts"
import type { OverrideWindow } from "../../../src/domain/oncall/Overrides.ts"
import { settledRotation } from "../../../src/domain/oncall/Rotation.ts"
import { shiftsAt } from "../../../src/domain/oncall/Shifts.ts"

const hour = 3_600_000
const at = (ms: number) => DateTime.unsafeMake(ms)
const ms = DateTime.toEpochMillis
const begin = Date.UTC(2026, 2, 25)
const user = (name: string) => UserId.make(`usr_${name}`)

const rotation = fc.record({
  names: fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }),
  turnUnit: fc.constantFrom("day" as const, "week" as const),
  atOnce: fc.constantFrom(1, 2),
  part: fc.boolean()
}).map(({ atOnce, names, part, turnUnit }) =>
  settledRotation({
    timezone: "Europe/Berlin",
    handoffDay: 2,
    handoffTime: "02:30",
    startDay: "2026-03-25",
    participants: [user(names[0] ?? "a"), ...names.slice(1).map(user)],
    turnUnit,
    atOnce,
    hours: part ? [{ days: [0, 2, 4, 6], from: "22:00", to: "06:00" }] : []
  }, at(begin))
)

/** Edits at hours since the schedule was made, each with the rotation from then on. */
const edits = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), rotation), { maxLength: 5 })

const override = fc.record({
  start: fc.integer({ min: -40, max: 250 }),
  hours: fc.integer({ min: 1, max: 60 }),
  made: fc.nat({ max: 250 })
})

const scene = fc.tuple(rotation, edits, fc.array(override, { maxLength: 4 })).map(([first, changes, overrides]) => {
  const past: Array<RotationPeriod> = []
  let now = { rotation: first, since: begin }
  for (const [hours, next] of changes) {
    const end = now.since + hours * hour
    past.push({ rotation: now.rotation, start: at(now.since), end: at(end) })
    now = { rotation: next, since: end }
  }
  return {
    history: { past, rotation: now.rotation, createdAt: at(begin) },
    overrides: overrides.map(({ hours, made, start }, index): OverrideWindow => ({
      id: OverrideId.make(`ovr_${index}`),
      userId: user(`over${index}`),
      start: at(begin + start * hour),
      end: at(begin + (start + hours) * hour),
      createdAt: at(begin + made * hour)
    }))
  }
})

it("at each instant, on call is who was on call then, whatever was changed later", () => {
  fc.assert(
    fc.property(scene, fc.integer({ min: -20 * 60, max: 300 * 60 }), ({ history, overrides }, minutes) => {
      const now = begin + minutes * 60_000
      const applied = history.past.find(({ end, start }) => ms(start) <= now && now < ms(end))?.rotation ?? history.rotation
      // What the program said then: it knew no later override.
      const known = overrides.filter(({ createdAt }) => ms(createdAt) <= now)
      const expected = now < begin ? [] : shiftsAt(applied, known, at(now))
      const people = (shifts: ReadonlyArray<{ readonly userId: string; readonly overrideId: string | null }>) =>
        shifts.map(({ overrideId, userId }) => `${userId} ${overrideId}`).sort()
      const made = now < begin ? [] : shiftsInHistory(history, overrides, at(now), at(now))
      expect(people(made)).toEqual(people(expected))
      // Also in a list, whose shifts of one person an edit does not cut.
      const listed = shiftsInHistory(history, overrides, at(begin - 30 * hour), at(begin + 310 * hour))
      expect(people(listed.filter(({ end, start }) => ms(start) <= now && now < ms(end)))).toEqual(people(expected))
      for (const { end, start } of listed) expect(ms(start)).toBeLessThan(ms(end))
    }),
    { numRuns: 400 }
  )
})

it("does not change when the rotation is edited again", () => {
  fc.assert(
    fc.property(scene, rotation, ({ history, overrides }, next) => {
      const now = begin + 400 * hour
      const span = [at(begin - 30 * hour), at(now)] as const
      const last = history.past.at(-1)?.end ?? history.createdAt
      const after = {
        ...history,
        past: [...history.past, { rotation: history.rotation, start: last, end: at(now) }],
        rotation: next
      }
      const before = shiftsInHistory(history, overrides, ...span)
      const cut = (one: DateTime.Utc) => Math.min(ms(one), now)
      expect(shiftsInHistory(after, overrides, ...span).map(({ end, ...shift }) => ({ ...shift, end: cut(end) })))
        .toEqual(before.map(({ end, ...shift }) => ({ ...shift, end: cut(end) })))
    }),
    { numRuns: 200 }
  )
})
