/** Check ids: unique across batches of random bytes, and sortable by time. */
import { describe, expect, it } from "vitest"
import { idTime } from "../../src/domain/Id.ts"
import { makeCheckIds } from "../../src/probe/CheckIds.ts"

describe("check ids", () => {
  it("are unique, within one millisecond and across batches", () => {
    const mintId = makeCheckIds()
    const ids = Array.from({ length: 2000 }, () => mintId(1_790_000_000_000))
    expect(new Set(ids).size).toBe(2000)
  })

  it("contain the time of the check and sort by it", () => {
    const mintId = makeCheckIds()
    const instants = Array.from({ length: 600 }, (_, index) => 1_790_000_000_000 + index)
    const ids = instants.map(mintId)
    expect(ids.map(idTime)).toEqual(instants)
    expect([...ids].sort()).toEqual(ids)
  })
})
