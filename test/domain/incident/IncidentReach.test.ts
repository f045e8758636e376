/** The laws of what brings an incident onto pages. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { PageId } from "../../../schema/Ids.ts"
import { mostPages, reachAfter, reachesTooMany } from "../../../src/domain/incident/ManualIncident.ts"

const pageIds = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 }).map((numbers) =>
  numbers.map((number) => PageId.make(`pg_${String(number).padStart(26, "0")}`))
)
const reach = fc.record({ public: fc.boolean(), pageIds })

describe("An update that lists components", () => {
  it.prop(
    "brings nothing onto a page if it is an internal note, or lists none",
    [reach, pageIds, fc.boolean()],
    ([of, pages, wish]) => {
      expect(reachAfter(of, pages, false)).toBe(of)
      expect(reachAfter(of, [], wish)).toBe(of)
    }
  )

  it.prop("brings a public incident onto all of their pages, and takes it from none", [pageIds, pageIds], ([has, pages]) => {
    const after = reachAfter({ public: true, pageIds: has }, pages, undefined)
    expect(after.public).toBe(true)
    expect(new Set(after.pageIds)).toEqual(new Set([...has, ...pages]))
    expect(after.pageIds.slice(0, has.length)).toEqual(has)
  })

  it.prop(
    "publishes an incident without pages, and one that was kept internal only on request",
    [pageIds, pageIds],
    ([has, pages]) => {
      fc.pre(pages.length > 0)
      expect(reachAfter({ public: false, pageIds: [] }, pages, undefined)).toEqual({ public: true, pageIds: pages })
      const kept = { public: false, pageIds: has }
      expect(reachAfter(kept, pages, undefined).public).toBe(has.length === 0)
      expect(reachAfter(kept, pages, true).public).toBe(true)
    }
  )

  it.prop("brings it onto at most 20 pages, and is accepted for those that it is on", [reach, pageIds], ([of, pages]) => {
    const after = reachAfter(of, pages, true)
    expect(reachesTooMany(of, of)).toBe(false)
    expect(reachesTooMany(of, after)).toBe(after.pageIds.length > Math.max(mostPages, of.pageIds.length))
  })
})
