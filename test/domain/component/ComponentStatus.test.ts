/** Which source of a component's status decides. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { ComponentStatus, EffectiveStatus } from "../../../schema/component/Component.ts"
import {
  automaticStatus,
  effectiveStatus,
  type StatusSources,
  worstOf
} from "../../../src/domain/component/ComponentStatus.ts"

const status = fc.constantFrom(...ComponentStatus.literals)
const listed = fc.array(status, { maxLength: 3 })
const sources: fc.Arbitrary<StatusSources> = fc.record({
  aggregate: fc.constantFrom("worst" as const, "majority" as const),
  monitors: fc.array(fc.constantFrom("up" as const, "down" as const, "degraded" as const, "pending" as const), { maxLength: 3 }),
  pushed: fc.option(fc.constantFrom(...EffectiveStatus.literals)),
  override: fc.option(status),
  maintenances: listed,
  incidents: listed
})
const bare: StatusSources = {
  aggregate: "worst",
  monitors: [],
  pushed: null,
  override: null,
  maintenances: [],
  incidents: []
}
const affecting = (statuses: ReadonlyArray<ComponentStatus>) => statuses.filter((one) => one !== "operational")

describe("The status of a component", () => {
  it.prop("is its override, whatever else is true", [sources, status], ([given, override]) => {
    expect(effectiveStatus({ ...given, override })).toEqual({ status: override, decidedBy: "override" })
  })

  it.prop("without an override is that of a running maintenance window", [sources], ([given]) => {
    fc.pre(affecting(given.maintenances).length > 0)
    expect(effectiveStatus({ ...given, override: null })).toEqual({
      status: worstOf(affecting(given.maintenances)),
      decidedBy: "maintenance"
    })
  })

  it.prop("without these is that of an open incident", [sources], ([given]) => {
    fc.pre(affecting(given.incidents).length > 0)
    expect(effectiveStatus({ ...given, override: null, maintenances: [] })).toEqual({
      status: worstOf(affecting(given.incidents)),
      decidedBy: "incident"
    })
  })

  it.prop("is its own when every incident lists it as operational, so a later outage shows", [sources], ([given]) => {
    const handedBack = { ...given, override: null, maintenances: ["operational" as const], incidents: ["operational" as const] }
    expect(effectiveStatus(handedBack)).toEqual(automaticStatus(given))
  })

  it("follows pushes or monitors, and is operational without either", () => {
    expect(effectiveStatus({ ...bare, pushed: "unknown" })).toEqual({ status: "unknown", decidedBy: "push" })
    expect(effectiveStatus({ ...bare, monitors: ["down"] })).toEqual({ status: "major_outage", decidedBy: "monitors" })
    expect(effectiveStatus(bare)).toEqual({ status: "operational", decidedBy: "none" })
  })
})
