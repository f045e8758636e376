import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck } from "effect"
import { groupDueAt, lastOfEach } from "../../../src/domain/alert/AlertGroup.ts"

const start = DateTime.unsafeMake("2026-11-20T08:00:00Z")

describe("a group of alerts", () => {
  it("is sent within a minute of its first alert, and within 10 seconds of its last", () => {
    FastCheck.assert(FastCheck.property(FastCheck.integer({ min: 0, max: 60_000 }), (ms) => {
      const now = DateTime.add(start, { millis: ms })
      const due = DateTime.distance(start, groupDueAt(start, now))
      expect(due).toBe(Math.min(60_000, ms + 10_000))
    }))
  })

  it("reports each monitor once, as its last alert left it, and as flapping if one of them said so", () => {
    const alert = FastCheck.record({
      monitorId: FastCheck.constantFrom("a", "b", "c"),
      type: FastCheck.constantFrom("up", "down"),
      flapping: FastCheck.boolean()
    })
    FastCheck.assert(FastCheck.property(FastCheck.array(alert), (alerts) => {
      const last = lastOfEach(alerts)
      expect(new Set(last.map(({ monitorId }) => monitorId)).size).toBe(last.length)
      for (const one of alerts) {
        const all = alerts.filter(({ monitorId }) => monitorId === one.monitorId)
        expect(last.find(({ monitorId }) => monitorId === one.monitorId))
          .toEqual({ ...all.at(-1), flapping: all.some(({ flapping }) => flapping) })
      }
    }))
  })
})
