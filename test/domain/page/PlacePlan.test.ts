import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { ComponentId, GroupId } from "../../../schema/Ids.ts"
import { planPositions } from "../../../src/domain/page/GroupPlan.ts"

const component = (number: number) => ComponentId.make(`cmp_${String(number).padStart(26, "0")}`)
const group = (number: number) => ({
  id: GroupId.make(`grp_${String(number).padStart(26, "0")}`),
  name: `Group ${number}`,
  description: null,
  collapsed: false
})
const groups = [group(0), group(1)]

describe("The positions of a page's components", () => {
  it("are exchanged among those that are listed; all others keep theirs", () => {
    const listing = fc.integer({ min: 1, max: 12 }).chain((count) =>
      fc.shuffledSubarray(Array.from({ length: count }, (_, at) => at)).map((listed) => ({ count, listed }))
    )
    fc.assert(fc.property(listing, ({ count, listed }) => {
      const before = Array.from({ length: count }, (_, at) => ({ id: component(at), group: groups[at % 2]?.id ?? null }))
      const positions = Either.getOrThrow(planPositions(before, listed.map((at) => ({ id: component(at) })), groups))
      expect(positions.map(({ position }) => position)).toEqual(before.map((_, at) => at))
      expect(new Set(positions.map(({ id }) => id))).toEqual(new Set(before.map(({ id }) => id)))
      expect(positions.filter(({ id }) => listed.some((at) => component(at) === id)).map(({ id }) => id)).toEqual(
        listed.map(component)
      )
      for (const [at, { group: of, id }] of positions.entries()) {
        if (!listed.some((one) => component(one) === id)) expect(id).toBe(component(at))
        expect(of).toBe(before.find((one) => one.id === id)?.group)
      }
    }))
  })

  it("name groups by id or name, and lose a group that the page has no longer", () => {
    const before = [{ id: component(0), group: group(9).id }, { id: component(1), group: null }]
    const positions = planPositions(before, [{ id: component(1), group: "group 1" }], groups)
    expect(Either.getOrThrow(positions).map((place) => place.group)).toEqual([null, group(1).id])
  })

  it("are refused for an unknown component, one named twice, and an unknown group, each by its path", () => {
    const before = [{ id: component(0), group: null }]
    const refused = planPositions(before, [{ id: component(7) }, { id: component(0), group: "X" }, { id: component(0) }], groups)
    expect(Either.isLeft(refused) ? refused.left.map(({ path }) => path) : []).toEqual([
      "components.0.id",
      "components.1.group",
      "components.2.id"
    ])
  })
})
