/** Laws of how the overrides of a schedule become those of a document: everybody stands in when the document says, at the least cost. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, DateTime, FastCheck } from "effect"
import { mostOverrides, overrideChanges, type StandIn, windowRefusals } from "../../../src/domain/oncall/Overrides.ts"

const hour = (number: number): DateTime.Utc => DateTime.add(DateTime.unsafeMake("2026-11-20T00:00:00Z"), { hours: number })

/** Few hours, people and notes, so that many overlap and some are equal. */
const standIn: FastCheck.Arbitrary<StandIn> = FastCheck.record({
  userId: FastCheck.constantFrom("usr_a", "usr_b"),
  from: FastCheck.nat(8),
  hours: FastCheck.integer({ min: 1, max: 4 }),
  note: FastCheck.constantFrom(null, "Swapped")
}).map(({ from, hours, note, userId }) => ({ userId, start: hour(from), end: hour(from + hours), note }))

const list = FastCheck.array(standIn, { maxLength: 8 })

/** A list with some of its entries in another order, some gone and some new, as people edit it. */
const edited = list.chain((stored) =>
  FastCheck.tuple(FastCheck.shuffledSubarray([...stored]), list).map(([some, more]) => ({ stored, wanted: [...some, ...more] }))
)

/** The content of each override, for comparison. */
const said = (all: ReadonlyArray<StandIn>) =>
  all.map(({ end, note, start, userId }) => `${userId} ${start.epochMillis} ${end.epochMillis} ${note}`)

/** The stand-in hour by hour: of the override created last. */
const rota = (all: ReadonlyArray<StandIn>) =>
  Arr.makeBy(
    14,
    (at) =>
      said(all.filter(({ end, start }) => DateTime.lessThanOrEqualTo(start, hour(at)) && DateTime.greaterThan(end, hour(at)))).at(
        -1
      )
  )

const after = (stored: ReadonlyArray<StandIn>, wanted: ReadonlyArray<StandIn>) => {
  const { added, removed } = overrideChanges(stored, wanted)
  return [...stored.filter((one) => !removed.includes(one)), ...added]
}

describe("the overrides of a document", () => {
  it("are all there afterwards, with the same people on call at any time", () => {
    FastCheck.assert(FastCheck.property(edited, ({ stored, wanted }) => {
      const found = after(stored, wanted)
      expect(said(found).sort()).toEqual(said(wanted).sort())
      expect(rota(found)).toEqual(rota(wanted))
      expect(overrideChanges(found, wanted)).toEqual({ removed: [], added: [] })
    }))
  })

  it("change nothing where the order means nothing", () => {
    FastCheck.assert(FastCheck.property(
      FastCheck.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
      (order) => {
        const stored = Arr.makeBy(6, (at) => ({ userId: "usr_a", start: hour(at), end: hour(at + 1), note: null }))
        expect(overrideChanges(stored, order.flatMap((at) => stored[at] ?? []))).toEqual({ removed: [], added: [] })
      }
    ))
  })

  it("add and remove only what differs when the rest keeps its order", () => {
    FastCheck.assert(FastCheck.property(list, FastCheck.nat(7), standIn, (stored, at, more) => {
      const gone = stored[at]
      const fewer = overrideChanges(stored, stored.filter((_, index) => index !== at))
      expect([said(fewer.removed), fewer.added]).toEqual([gone === undefined ? [] : said([gone]), []])
      expect(overrideChanges(stored, [...stored, more])).toEqual({ removed: [], added: [more] })
    }))
  })

  it("are created again if they must win over one that was created after them", () => {
    const [one, other] = [
      { userId: "usr_a", start: hour(0), end: hour(4), note: null },
      { userId: "usr_b", start: hour(2), end: hour(6), note: null }
    ]
    expect(overrideChanges([one, other], [other, one])).toEqual({ removed: [one], added: [one] })
  })

  it("are as many and as long as those of the operation that makes one", () => {
    const window = (from: number, to: number) => ({ start: hour(from), end: hour(to) })
    expect(mostOverrides).toBe(200)
    expect(windowRefusals(window(1, 24 * 366 + 1), hour(2))).toEqual([])
    for (const [from, to] of [[1, 24 * 366 + 2], [3, 3], [0, 2], [4, 3]] as const) {
      expect(windowRefusals(window(from, to), hour(2))).toMatchObject([{ path: "end" }])
    }
  })
})
