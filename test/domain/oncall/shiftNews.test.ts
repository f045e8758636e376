/** Laws of whom a change of a schedule concerns. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, DateTime, FastCheck } from "effect"
import { OverrideId, UserId } from "../../../schema/Ids.ts"
import { shiftNews } from "../../../src/domain/oncall/ShiftNews.ts"
import { byShiftStart, type Shift, shiftsBetween } from "../../../src/domain/oncall/Shifts.ts"

const hour = (number: number): DateTime.Utc => DateTime.add(DateTime.unsafeMake("2026-11-20T00:00:00Z"), { hours: number })
const people = ["usr_a", "usr_b", "usr_c"].map((id) => UserId.make(id))

const shifts: FastCheck.Arbitrary<ReadonlyArray<Shift>> = FastCheck.array(
  FastCheck.record({
    userId: FastCheck.constantFrom(...people),
    from: FastCheck.nat(10),
    hours: FastCheck.integer({ min: 1, max: 4 })
  })
    .map(({ from, hours, userId }) => ({ userId, overrideId: null, start: hour(from), end: hour(from + hours) })),
  { maxLength: 6 }
).map((list) => Arr.sort(list, byShiftStart))

const isOn = (spans: ReadonlyArray<Pick<Shift, "start" | "end">>, at: number): boolean =>
  spans.some(({ end, start }) => DateTime.lessThanOrEqualTo(start, hour(at)) && DateTime.greaterThan(end, hour(at)))

describe("news of shifts", () => {
  it("name each hour of the change that a person gains or loses, and nobody else", () => {
    FastCheck.assert(
      FastCheck.property(
        shifts,
        shifts,
        FastCheck.nat(12),
        FastCheck.integer({ min: 1, max: 8 }),
        (before, after, from, hours) => {
          const time = { start: hour(from), end: hour(from + hours) }
          const news = shiftNews(before, after, time)
          for (const userId of people) {
            const [had, has] = [before, after].map((list) => list.filter((one) => one.userId === userId))
            const own = news.find((one) => one.userId === userId)
            for (let at = 0; at < 16; at++) {
              const [then, later] = [isOn(had ?? [], at), isOn(has ?? [], at)]
              expect(isOn(own?.gained ?? [], at)).toBe(isOn([time], at) && later && !then)
              expect(isOn(own?.lost ?? [], at)).toBe(isOn([time], at) && then && !later)
            }
          }
          expect(shiftNews(after, after, time)).toEqual([])
        }
      )
    )
  })

  it("of an override within a shift name its time only", () => {
    const [ada, ben] = [UserId.make("usr_ada"), UserId.make("usr_ben")]
    const rotation = {
      timezone: "UTC",
      handoffDay: 0,
      handoffTime: "00:00",
      startDay: "2026-11-16",
      participants: [ada] as const
    }
    const time = { start: hour(5), end: hour(9) }
    const override = { id: OverrideId.make("ovr_1"), userId: ben, createdAt: hour(0), ...time }
    const [before, after] = [[], [override]].map((overrides) => shiftsBetween(rotation, overrides, time.start, time.end))
    const told = [{ userId: ada, gained: [], lost: [time] }, { userId: ben, gained: [time], lost: [] }]
    expect(shiftNews(before ?? [], after ?? [], time)).toEqual(told)
  })
})
