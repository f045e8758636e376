/** The components of incidents and windows that Statuspage has: an import shows their status of now while these last. */
import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { foundComponent, makeNotes } from "../../../src/domain/import/Carry.ts"
import { planImport } from "../../../src/domain/import/ImportPlan.ts"
import { emptyInventory, type FoundIncident } from "../../../src/domain/import/Inventory.ts"
import { statuspageIncident } from "../../../src/domain/import/statuspage/StatuspageIncident.ts"
import { runSteps } from "../../../src/domain/tools/Steps.ts"

const now = DateTime.unsafeMake("2026-11-29T12:00:00Z")

/** As Statuspage sends them: the newest update first, and the components as they are now. */
const update = (at: string, status: string, changed: readonly [string, string]) => ({
  status,
  body: status,
  display_at: `2026-11-29T${at}:00.000Z`,
  affected_components: [{ code: "c1", old_status: changed[0], new_status: changed[1] }]
})
const api = (status: string) => [{ id: "c1", name: "API", status }]

const found = (incident: object): FoundIncident =>
  statuspageIncident({ id: "x", name: "X", created_at: "2026-11-29T10:00:00.000Z", ...incident }, "page:p1", 0, now)

const shown = (incident: object) => found(incident).components

const recovering = {
  status: "monitoring",
  incident_updates: [
    update("11:00", "monitoring", ["major_outage", "operational"]),
    update("10:00", "investigating", ["operational", "major_outage"])
  ]
}
const planned = {
  status: "scheduled",
  scheduled_for: "2026-11-30T10:00:00.000Z",
  scheduled_until: "2026-11-30T11:00:00.000Z",
  incident_updates: [update("10:00", "scheduled", ["operational", "operational"])],
  components: api("operational")
}
const running = {
  status: "in_progress",
  scheduled_for: "2026-11-29T10:00:00.000Z",
  scheduled_until: "2026-11-29T13:00:00.000Z",
  incident_updates: [update("10:00", "in_progress", ["operational", "under_maintenance"])],
  components: api("under_maintenance")
}

describe("an incident of Statuspage", () => {
  it("that is open shows a component as it is now, not in its worst moment", () => {
    expect(shown({ ...recovering, components: api("operational") })).toEqual([{ ref: "component:c1", status: "operational" }])
    expect(shown({ ...recovering, components: api("partial_outage") })[0]?.status).toBe("partial_outage")
    // The list of components is missing in some answers.
    expect(shown(recovering)[0]?.status).toBe("operational")
  })

  it("that is over keeps the worst moment", () => {
    const over = { ...recovering, status: "resolved", resolved_at: "2026-11-29T11:30:00.000Z", components: api("operational") }
    expect(shown(over)[0]?.status).toBe("major_outage")
  })

  it("that is a window has its components in maintenance, although they are operational until it begins", () => {
    expect(shown(planned)).toEqual([{ ref: "component:c1", status: "maintenance" }])
    expect(shown(running)[0]?.status).toBe("maintenance")
    expect(shown({ ...running, components: api("partial_outage") })[0]?.status).toBe("partial_outage")
  })
})

describe("a component", () => {
  const choice = {
    monitors: true,
    channels: true,
    pages: true,
    incidents: true,
    exclude: new Set<string>(),
    made: new Map<string, string>(),
    intoPage: false,
    hasDefaultChannel: true,
    claimed: true
  }
  /** The status that the import sets on the component itself. */
  const setOn = (incident: object, changes: object = {}) => {
    const component = foundComponent(makeNotes(), "component:c1", { name: "API" }, { status: "major_outage" })
    const page = { ref: "page:p1", name: "Acme", notes: [], input: { name: "Acme" }, components: [component] }
    const { steps } = runSteps(planImport(
      { ...emptyInventory, pages: [page], incidents: [found(incident)] },
      { ...choice, ...changes }
    ))
    return steps.flatMap(({ making }) => making._tag === "Component" ? [making.found.status] : [])
  }

  it("takes its status from an incident that goes on, which ends it, and else keeps what the source shows", () => {
    const open = { ...recovering, components: api("major_outage") }
    expect([setOn(open), setOn(running)]).toEqual([[null], [null]])
    // Neither says what the component is in now.
    expect([setOn(planned), setOn(recovering)]).toEqual([["major_outage"], ["major_outage"]])
    expect(setOn(open, { incidents: false })).toEqual(["major_outage"])
    expect(setOn(open, { exclude: new Set(["incident:x"]) })).toEqual(["major_outage"])
    expect(setOn(open, { made: new Map([["incident:x", "inc_1"]]) })).toEqual(["major_outage"])
  })
})
