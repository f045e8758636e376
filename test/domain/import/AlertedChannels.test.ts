/** Whom imported monitors alert: what the source says of it, as far as it exists here. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { channelsCarried, channelsNote } from "../../../src/domain/import/AlertedChannels.ts"

const some = fc.uniqueArray(fc.constantFrom<string>("a", "b", "c", "d"))

describe("the channels of an imported monitor", () => {
  it("are none only if the source has none", () => {
    fc.assert(fc.property(some, some, (refs, existing) => {
      expect(channelsCarried(refs, (ref) => existing.includes(ref))?.length === 0).toBe(refs.length === 0)
    }))
  })

  it("are those of the source that exist here, or else the defaults", () => {
    fc.assert(fc.property(some, some, (refs, existing) => {
      const carried = channelsCarried(refs, (ref) => existing.includes(ref))
      if (carried !== null) expect(carried).toEqual(refs.filter((ref) => existing.includes(ref)))
    }))
    expect(channelsCarried(null, () => true)).toBeNull()
  })

  it("come without a note only if all are carried, or the defaults are meant and exist", () => {
    fc.assert(fc.property(some, some, fc.boolean(), (refs, existing, hasDefault) => {
      const note = channelsNote(refs, (ref) => existing.includes(ref), hasDefault)
      expect(note === null).toBe(refs.length > 0 && refs.every((ref) => existing.includes(ref)))
    }))
    expect(channelsNote(null, () => true, true)).toBeNull()
    expect(channelsNote(null, () => true, false)).toContain("no default channel")
  })
})
