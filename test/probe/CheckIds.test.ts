/** Ids of checks: unique across the draws of random bytes they share, and told apart by their time. */
import { describe, expect, it } from "vitest"
import { idTime } from "../../src/domain/Id.ts"
import { makeCheckIds } from "../../src/probe/CheckIds.ts"

describe("the ids of checks", () => {
  it("are all different, also those of one instant and of several draws", () => {
    const mintId = makeCheckIds()
    const ids = Array.from({ length: 2000 }, () => mintId(1_790_000_000_000))
    expect(new Set(ids).size).toBe(2000)
  })

  it("hold the instant of their check and sort by it", () => {
    const mintId = makeCheckIds()
    const instants = Array.from({ length: 600 }, (_, index) => 1_790_000_000_000 + index)
    const ids = instants.map(mintId)
    expect(ids.map(idTime)).toEqual(instants)
    expect([...ids].sort()).toEqual(ids)
  })
})
