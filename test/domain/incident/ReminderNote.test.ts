/** The text of a reminder of a maintenance window. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { reminderNote } from "../../../src/domain/incident/ManualIncident.ts"

const start = DateTime.unsafeMake("2026-05-04T02:00:00Z")
const note = (seconds: number) => reminderNote(start, DateTime.subtract(start, { seconds }))

describe("The reminder of a maintenance window", () => {
  it("says the same whether it goes out in time or some seconds late", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_080 }), fc.integer({ min: 0, max: 29 }), (minutes, late) => {
        expect(note(60 * minutes - late)).toBe(note(60 * minutes))
      })
    )
    expect(note(3599)).toBe("This maintenance begins in 1 hour.")
  })

  it("never says less than a minute", () => {
    expect(note(5)).toBe("This maintenance begins in 1 minute.")
  })
})
