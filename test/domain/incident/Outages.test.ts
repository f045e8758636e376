/** The laws of automatic incidents: what opens, changes and ends them, and their texts. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { ComponentStatus } from "../../../schema/component/Component.ts"
import { ComponentId, IncidentId, MonitorId, PageId, UpdateId } from "../../../schema/Ids.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import { type OpenIncident, resolution } from "../../../src/domain/incident/AutomaticIncident.ts"
import { joinIncident, leaveIncident } from "../../../src/domain/incident/ComponentOutage.ts"
import { incidentEvent } from "../../../src/domain/incident/IncidentMachine.ts"
import { monitorIncident } from "../../../src/domain/incident/MonitorOutage.ts"

const start = DateTime.unsafeMake("2026-11-20T10:00:00Z")
const after = (seconds: number) => DateTime.add(start, { seconds })
const page = PageId.make("pg_1")
const component = (name: string) => ({ id: ComponentId.make(`cmp_${name}`), name, pageId: page })
const status = fc.constantFrom(...ComponentStatus.literals)

const open = (more: Partial<OpenIncident> = {}): OpenIncident => ({
  id: IncidentId.make("inc_1"),
  status: "identified",
  impact: "major",
  public: true,
  startedAt: start,
  components: [],
  ...more
})

describe("the incident of a monitor", () => {
  const monitor = { id: MonitorId.make("mon_1"), name: "checkout-prod" }
  const refused = { cause: "status", statusCode: 503 } as const

  it("is internal and names the monitor and the cause if no component shows it", () => {
    expect(monitorIncident(monitor, start, refused, [])).toMatchObject({
      public: false,
      title: "checkout-prod is down: 503 Service Unavailable",
      components: [],
      pageIds: [],
      body: "checkout-prod is failing its checks."
    })
  })

  it("never names a secret of the URL that a monitor is called after", () => {
    const named = { ...monitor, name: "https://shop.test/?token=hunter2" }
    expect(JSON.stringify(monitorIncident(named, start, null, []))).not.toContain("hunter2")
    const resolved = resolution(open({ public: false }), start, "recovered", named.name, [])
    expect(resolved).toMatchObject({ body: expect.stringContaining("https://shop.test/?token=[hidden]") })
  })

  it("is public and names each component once if components show it", () => {
    const showing = [1, 2].map((at) => ({
      componentId: ComponentId.make(`cmp_${at}`),
      name: "Checkout",
      pageId: PageId.make("pg_1")
    }))
    const incident = monitorIncident(monitor, start, null, showing)
    expect(incident).toMatchObject({ public: true, impact: "major", pageIds: ["pg_1"] })
    expect(incident.components.map(({ status }) => status)).toEqual(["major_outage", "major_outage"])
    expect(incident.body).toBe("We are investigating a problem with Checkout.")
  })

  it("ends with a note that names components in public and the monitor internally", () => {
    const end = (isPublic: boolean, reason: Parameters<typeof resolution>[2]) =>
      resolution(open({ public: isPublic }), after(3900), reason, "checkout-prod", ["Cart", "Checkout"])
    expect(end(true, "recovered")).toMatchObject({ body: "Cart, Checkout recovered after 1 hour 5 minutes." })
    expect(end(false, "recovered")).toMatchObject({ body: "checkout-prod recovered after 1 hour 5 minutes." })
    expect(end(false, "monitoring was paused")).toMatchObject({
      body: "checkout-prod: monitoring was paused after 1 hour 5 minutes."
    })
  })

  it.prop("never ends before it began", [fc.integer({ min: -100_000, max: 100_000 })], ([seconds]) => {
    const end = resolution(open(), after(seconds), "recovered", "x", ["x"])
    expect(end._tag === "Resolve" && DateTime.greaterThanOrEqualTo(end.at, start)).toBe(true)
  })
})

describe("the incident of a page", () => {
  const queue = component("Queue")

  it("opens with its first component, and others join it without changing its status", () => {
    const opened = joinIncident(queue, "degraded", DateTime.toEpochMillis(start), null)
    expect(opened).toMatchObject({ _tag: "Open", incident: { title: "Queue is degraded", impact: "minor", pageIds: [page] } })
    const joined = joinIncident(component("Mail"), "partial_outage", 0, open())
    expect(joined).toMatchObject({ _tag: "Update", impact: "major", body: "Mail is affected too." })
  })

  const others = fc.array(fc.record({ status, exists: fc.boolean() }), { maxLength: 5 })

  it.prop("ends exactly when no other existing component still fails", [others], ([given]) => {
    const rows = given.map((one, index) => ({ ...component(`other${index}`), ...one }))
    const components = [
      { componentId: queue.id, status: "major_outage" as const },
      ...rows.map(({ id, status }) => ({ componentId: id, status }))
    ]
    const affected = [queue, ...rows.filter(({ exists }) => exists)]
    const change = leaveIncident(queue, "recovered", open({ components }), after(60), affected)
    const fails = rows.some(({ exists, status }) => exists && status !== "operational")
    expect(change._tag).toBe(fails ? "Update" : "Resolve")
    if (change._tag !== "Update") return
    expect(change.components).toHaveLength(components.length)
    expect(change.components.find(({ componentId }) => componentId === queue.id)?.status).toBe("operational")
  })
})

describe("the event of a resolved incident", () => {
  it("contains the duration of the incident", () => {
    const incident: Incident = {
      ...open({ status: "resolved" }),
      kind: "incident",
      automatic: true,
      monitorId: null,
      title: "Queue is down",
      pageIds: [],
      acknowledgement: null,
      likelyUpstream: null,
      createdAt: start,
      updatedAt: start,
      aiReports: [],
      resolvedAt: after(5430),
      scheduledStart: null,
      scheduledEnd: null,
      aiSummary: null,
      updates: [],
      url: "https://belltower.test/app/incidents/inc_1"
    }
    const update = { id: UpdateId.make("upd_1"), status: "resolved" as const, body: "", at: after(9999), ai: false, public: true }
    expect(incidentEvent("incident.resolved", incident, update, false)).toMatchObject({
      type: "incident.resolved",
      data: { durationMinutes: 91, durationText: "1 hour 30 minutes" }
    })
  })
})
