/** The overview names who changed and how, and joins lines that repeat. */
import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import type { Event, EventType } from "../../schema/event/Event.ts"
import { EventId } from "../../schema/Ids.ts"
import { eventLines } from "../../src/dashboard/views/event/EventLine.ts"

const event = (type: EventType, data: Event["data"]): Event => ({
  id: EventId.make("evt_01k9x2m4q8e7s9v3bthn5wza6c"),
  type,
  at: DateTime.unsafeMake("2026-11-22T12:00:00Z"),
  data
})

const monitor = { _id: "mon_1", name: "Shop" }
const textsOf = (...events: ReadonlyArray<Event>) => eventLines(events).map(({ text }) => text)

describe("the lines of events", () => {
  it("say what a monitor is and why, whether or not it has an incident", () => {
    expect(textsOf(
      event("monitor.up", { monitor, incident: null, check: { error: null } }),
      event("monitor.down", { monitor, incident: { id: "inc_1", title: "Shop is down" }, check: { error: "Timeout" } })
    )).toEqual(["Shop is up", "Shop is down: Timeout"])
    const [line] = eventLines([event("monitor.down", { monitor, incident: null })])
    expect(line).toMatchObject({ tone: "bad", link: "/app/monitors/mon_1" })
  })

  it("tell a component's status after its name, once if several pages have it", () => {
    const component = event("component.status_changed", { component: { name: "Payments" }, from: "unknown", to: "major_outage" })
    const lines = eventLines([
      component,
      component,
      event("incident.created", { incident: { id: "inc_1", title: "Card payments" } })
    ])
    expect(lines.map(({ count, text, tone }) => [text, count, tone])).toEqual([
      ["Payments: major outage", 2, "bad"],
      ["Incident opened: Card payments", 1, "calm"]
    ])
  })

  it("say what became of an incident before its title, which may say that something is down", () => {
    const incident = { id: "inc_1", title: "Shop is down: 503 Service Unavailable" }
    expect(textsOf(
      event("incident.resolved", { incident }),
      event("incident.unacknowledged", { incident }),
      event("monitor.reminder", { monitor, incident })
    )).toEqual([
      "Incident resolved: Shop is down: 503 Service Unavailable",
      "Incident no longer acknowledged: Shop is down: 503 Service Unavailable",
      "Shop is still down"
    ])
  })
})
