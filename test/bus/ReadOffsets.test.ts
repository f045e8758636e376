import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Reading } from "../../src/bus/kafka/KafkaReader.ts"
import { makeReadOffsets } from "../../src/bus/kafka/KafkaResults.ts"

const partitions = 3

describe("the offsets of results", () => {
  it("reach the first piece of their partition that is not done, whatever other partitions wait for", () => {
    const anyPieces = fc.array(fc.nat(partitions - 1), { minLength: 1, maxLength: 30 })
    fc.assert(fc.property(anyPieces, fc.infiniteStream(fc.nat()), (pieces, choices) => {
      const readings = Array.from({ length: partitions }, (_, partition): Reading => ({ partition, next: null }))
      const offsets = makeReadOffsets()
      const ends = new Map<number, number>()
      const kept = new Map<number, number>()
      const open = pieces.flatMap((partition) => {
        const reading = readings[partition]
        const from = ends.get(partition) ?? 0
        ends.set(partition, from + 1)
        return reading === undefined
          ? []
          : [{ partition, from, finish: offsets.begin({ reading, results: [], bytes: 0, next: String(from + 1) }) }]
      })
      while (open.length > 0) {
        const [choice = 0] = choices.take(1)
        const [done] = open.splice(choice % open.length, 1)
        done?.finish()
        for (const [{ partition }, next] of offsets.takeMoved()) kept.set(partition, Number(next))
        for (const [partition, end] of ends) {
          const first = Math.min(end, ...open.filter((one) => one.partition === partition).map(({ from }) => from))
          expect(kept.get(partition) ?? 0).toBe(first)
        }
      }
    }))
  })
})
