/** The news of the overview: outages that are over in one line for each monitor, and no line that says the same again. */
import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import type { Event, EventType } from "../../schema/event/Event.ts"
import { EventId } from "../../schema/Ids.ts"
import { newsOf } from "../../src/dashboard/views/overview/News.ts"

const event = (type: EventType, data: Event["data"]): Event => ({
  id: EventId.make("evt_01k9x2m4q8e7s9v3bthn5wza6c"),
  type,
  at: DateTime.unsafeMake("2026-11-22T12:00:00Z"),
  data
})

const shop = { monitor: { _id: "mon_1", name: "Shop" } }
const down = event("monitor.down", { ...shop, check: { error: "Timeout" } })
const up = (downtimeSeconds: number) => event("monitor.up", { ...shop, downtimeSeconds })
const slow = event("monitor.degraded", shop)

/** Newest first. */
const news = (...events: ReadonlyArray<Event>) => newsOf(events, (seconds) => `${seconds} s`)
const textsOf = (...events: ReadonlyArray<Event>) => news(...events).map(({ text }) => text.replace(/[\u2066-\u2069]/g, ""))

describe("the news", () => {
  it("tell an outage that is over by how long it took, and several by how often", () => {
    expect(textsOf(up(125), down)).toEqual(["Shop was down for 125 s"])
    expect(textsOf(up(60), down, up(40), down, up(20), down)).toEqual(["Shop was down 3 times, 120 s in all"])
    expect(news(up(125), down)[0]).toMatchObject({ tone: "good", link: "/app/monitors/mon_1" })
  })

  it("tell an outage that goes on by its error, beside those before it", () => {
    expect(textsOf(down, up(60), down)).toEqual(["Shop is down: Timeout", "Shop was down for 60 s"])
  })

  it("tell slow times that are over once, and one that goes on as it is", () => {
    expect(textsOf(up(0), slow, up(0), slow)).toEqual(["Shop was degraded twice"])
    expect(textsOf(slow)).toEqual(["Shop is degraded"])
  })

  it("do not tell an automatic incident, which its monitor's line tells, but those of people", () => {
    const incident = (automatic: boolean) => ({ incident: { id: "inc_1", title: "Slow search", automatic } })
    expect(textsOf(event("incident.created", incident(true)), event("incident.created", incident(false)))).toEqual([
      "Incident opened: Slow search"
    ])
    expect(textsOf(event("incident.escalated", incident(true)))).toEqual(["Incident escalated: Slow search"])
  })
})
