/** Check ids: unique across batches of random bytes, and sortable by time. */
import { describe, expect, it } from "vitest"
import { MonitorId } from "../../schema/Ids.ts"
import { monitorTag, tagOfCheck } from "../../src/domain/check/history/CheckKey.ts"
import { idTime } from "../../src/domain/tools/Id.ts"
import { makeCheckIds } from "../../src/probe/CheckIds.ts"

const monitorId = MonitorId.make("mon_01k9x2m4q8e7s9v3bthn5wza6c")

describe("check ids", () => {
  it("carry the tag of their monitor, and stay unique and sorted", () => {
    const mintId = makeCheckIds()
    const instants = Array.from({ length: 2000 }, (_, index) => 1_790_000_000_000 + Math.floor(index / 2))
    const ids = instants.map((at) => mintId(at, monitorId))
    expect(ids.every((id) => tagOfCheck(id) === monitorTag(monitorId))).toBe(true)
    expect(ids.map(idTime)).toEqual(instants)
    expect(new Set(ids).size).toBe(2000)
  })

  it("are unique, within one millisecond and across batches", () => {
    const mintId = makeCheckIds()
    const ids = Array.from({ length: 2000 }, () => mintId(1_790_000_000_000, null))
    expect(new Set(ids).size).toBe(2000)
  })

  it("contain the time of the check and sort by it", () => {
    const mintId = makeCheckIds()
    const instants = Array.from({ length: 600 }, (_, index) => 1_790_000_000_000 + index)
    const ids = instants.map((at) => mintId(at, null))
    expect(ids.map(idTime)).toEqual(instants)
    expect([...ids].sort()).toEqual(ids)
  })

  it("are in the order in which they are minted, also for one time, if no monitor is known", () => {
    const mintId = makeCheckIds()
    const ids = [1000, 1000, 1001, 1001].flatMap((at) => Array.from({ length: 1000 }, () => mintId(at, null)))
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(4000)
  })
})
