/** The draft of a postmortem says what the incident's record says, once. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as FastCheck from "effect/FastCheck"
import { Incident } from "../../../schema/incident/Incident.ts"
import { postmortemDraft } from "../../../src/domain/incident/PostmortemDraft.ts"

const [incident] = FastCheck.sample(Arbitrary.make(Schema.typeSchema(Incident)), { numRuns: 1, seed: 1 })
const now = DateTime.unsafeMake("2026-11-22T08:00:00Z")

describe("The draft of a postmortem", () => {
  it("names a component that is on several pages once", () => {
    const draft = postmortemDraft(incident!, [{ name: "Checkout" }, { name: "Search" }, { name: "Checkout" }], now)
    expect(draft).toContain("- Affected: Checkout, Search\n")
  })
})
