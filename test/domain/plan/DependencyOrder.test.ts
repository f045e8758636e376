/** The order of things that need each other. */
import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { dependencyOrder } from "../../../src/domain/plan/DependencyOrder.ts"

const key = fc.integer({ min: 0, max: 8 }).map((number) => `k${number}`)
const things = fc.uniqueArray(fc.record({ key, dependsOn: fc.option(fc.array(key, { maxLength: 4 }), { nil: undefined }) }), {
  selector: (thing) => thing.key,
  maxLength: 9
})

it.prop("each comes after what it needs, and none is lost or doubled", [things], ([given]) => {
  const { circular, ordered } = dependencyOrder(given)
  expect([...ordered, ...circular].map((thing) => thing.key).sort()).toEqual(given.map((thing) => thing.key).sort())
  const known = new Set(given.map((thing) => thing.key))
  const before = new Set<string>()
  for (const thing of ordered) {
    for (const parent of thing.dependsOn ?? []) expect(known.has(parent) && !before.has(parent)).toBe(false)
    before.add(thing.key)
  }
  // Each of the others waits for one of them.
  const left = new Set(circular.map((thing) => thing.key))
  for (const thing of circular) expect((thing.dependsOn ?? []).some((parent) => left.has(parent))).toBe(true)
})

it("keeps the order of things that need nothing, and handles a long chain", () => {
  expect(dependencyOrder([{ key: "b" }, { key: "a" }]).ordered.map((thing) => thing.key)).toEqual(["b", "a"])
  const chain = Array.from({ length: 10_000 }, (_, index) => ({ key: `k${index}`, dependsOn: [`k${index + 1}`] }))
  expect(dependencyOrder(chain).ordered[0]?.key).toBe("k9999")
})
