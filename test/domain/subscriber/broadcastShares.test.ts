import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { sharesOf, visitsOfEach } from "../../../src/domain/subscriber/BroadcastShares.ts"

const room = fc.integer({ min: 100, max: 5000 })
const visited = fc.array(fc.record({ workspaceId: fc.constantFrom("ws_1", "ws_2", "ws_3") }), { minLength: 1, maxLength: 20 })

describe("a claim of deliveries to subscribers", () => {
  it("gives workspaces equal parts, however many broadcasts each has", () => {
    fc.assert(fc.property(room, visited, (room, visited) => {
      const shares = sharesOf(room, visited)
      const parts = [...shares].map(([id, share]) => share * visited.filter(({ workspaceId }) => workspaceId === id).length)
      expect(parts.reduce((sum, part) => sum + part, 0)).toBeLessThanOrEqual(room)
      // Only what does not divide evenly makes a difference.
      expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(20)
    }))
  })

  it("visits so few broadcasts of each of several workspaces that what a visit reads at least fits its part", () => {
    fc.assert(fc.property(room, fc.integer({ min: 1, max: 20 }), (room, workspaces) => {
      const each = visitsOfEach(room, workspaces, { least: 50, most: 20 })
      expect(each).toBeGreaterThanOrEqual(1)
      expect(each).toBeLessThanOrEqual(20)
      if (workspaces > 1 && each > 1) expect(each * 50).toBeLessThanOrEqual(room / workspaces)
    }))
  })
})
