import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeReadOffsets } from "../../src/bus/ReadOffsets.ts"
import type { Reading } from "../../src/bus/ResultIntake.ts"

const partitions = 3

describe("the offsets of results", () => {
  it("never move past a batch that is not done, and reach the end when all are", () => {
    const anyBatches = fc.array(fc.array(fc.nat(partitions - 1), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 })
    fc.assert(fc.property(anyBatches, fc.infiniteStream(fc.nat()), (batches, choices) => {
      const readings = Array.from({ length: partitions }, (_, partition): Reading => ({ partition, next: null }))
      const offsets = makeReadOffsets()
      const ends = new Map<number, number>()
      const kept = new Map<number, number>()
      const open = batches.map((pieces) => {
        const first = new Map<number, number>()
        const batch = offsets.begin(pieces.flatMap((partition) => {
          const reading = readings[partition]
          const from = ends.get(partition) ?? 0
          if (!first.has(partition)) first.set(partition, from)
          ends.set(partition, from + 1)
          return reading === undefined ? [] : [{ reading, results: [], next: String(from + 1) }]
        }))
        return { batch, first }
      })
      while (open.length > 0) {
        const [choice = 0] = choices.take(1)
        const [done] = open.splice(choice % open.length, 1)
        done?.batch.finish()
        for (const [{ partition }, next] of offsets.takeMoved()) kept.set(partition, Number(next))
        for (const { first } of open) {
          for (const [partition, from] of first) expect(kept.get(partition) ?? 0).toBeLessThanOrEqual(from)
        }
      }
      expect(kept).toEqual(ends)
    }))
  })
})
