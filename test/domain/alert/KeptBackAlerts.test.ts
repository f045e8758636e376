/** The events of one batch, and the alerts that wait, while a parent is in trouble or a window is running. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { WorkspaceEvent } from "../../../schema/event/Event.ts"
import { EventId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { freedBy, keptBackBy, type KeptBackMonitor, reviewAlert, siftEvents } from "../../../src/domain/alert/KeptBackAlerts.ts"

const at = DateTime.unsafeMake("2026-11-20T12:00:00Z")
const reviewAt = DateTime.add(at, { minutes: 5 })
const monitorId = MonitorId.make("mon_child")
const parentId = MonitorId.make("mon_parent")
const workspaceId = WorkspaceId.make("ws_1")
const incident = { id: IncidentId.make("inc_1"), openedAt: at }

const event = (id: string, type: "monitor.down" | "monitor.up" | "monitor.deleted" | "monitor.reminder"): WorkspaceEvent => ({
  id: EventId.make(id),
  workspaceId,
  type,
  at,
  data: { monitor: { _id: monitorId } }
})

const monitor = (more: Partial<KeptBackMonitor> = {}): KeptBackMonitor => ({
  monitorId,
  maintenanceSince: null,
  windowBegan: null,
  windowEnded: null,
  checkedAt: null,
  muted: false,
  parentId,
  parentDown: true,
  parentPaged: false,
  reviewAt,
  announced: null,
  waiting: null,
  waitingFor: null,
  ...more
})

describe("the events of a monitor", () => {
  const [down, reminder, up] = [event("evt_1", "monitor.down"), event("evt_2", "monitor.reminder"), event("evt_3", "monitor.up")]

  it("are sent if it depends on none", () => {
    expect(siftEvents([down, up], [])).toEqual({ sent: [down, up], waited: new Set(), kept: [], over: [], replaced: [] })
  })

  it("wait while a parent is down, until they are looked at again", () => {
    const { kept, sent } = siftEvents([down, reminder], [monitor()])
    expect([sent, kept]).toEqual([[], [{ announced: false, waiting: down.id, workspaceId, monitorId, parentId, reviewAt }]])
  })

  it("are forgotten if trouble ends before anybody was alerted", () => {
    expect(siftEvents([down, up], [monitor()])).toMatchObject({ sent: [], kept: [], over: [monitorId] })
  })

  it("know nothing of an earlier trouble, which ended with a pause", () => {
    const begin = { ...down, data: { monitor: { _id: monitorId }, from: "pending" } }
    const { kept, sent } = siftEvents([begin, up], [monitor({ announced: true })])
    expect([sent, kept]).toEqual([[], []])
  })

  it("are sent once a doubtful parent has had its time; what has waited is known", () => {
    const doubtful = monitor({ parentDown: false })
    expect(siftEvents([down], [doubtful]).sent).toEqual([])
    const { kept, sent, waited } = siftEvents([down], [{ ...doubtful, announced: false, waiting: down.id }])
    expect([sent, waited]).toEqual([[down], new Set([down])])
    expect(kept).toMatchObject([{ announced: true, waiting: null, parentId: null, reviewAt: null }])
  })

  it("wait if they begin in maintenance, and not if they began before", () => {
    const since = (maintenanceSince: DateTime.Utc) =>
      siftEvents([down], [monitor({ parentId: null, parentDown: null, maintenanceSince })])
    expect(since(at).sent).toEqual([])
    expect(since(DateTime.add(at, { seconds: 1 })).sent).toEqual([down])
  })

  it("wait once if their check was made in a window that is over, and not if it was made before or after", () => {
    const late = (seconds: number) => ({
      ...down,
      data: { monitor: { _id: monitorId }, check: { at: DateTime.formatIso(DateTime.subtract(at, { seconds })) } }
    })
    const [windowBegan, windowEnded] = [DateTime.subtract(at, { minutes: 9 }), DateTime.subtract(at, { minutes: 1 })]
    const over = monitor({ parentId: null, parentDown: null, windowBegan, windowEnded })
    expect(siftEvents([late(90)], [over]).sent).toEqual([])
    expect(siftEvents([late(90), up], [over]).sent).toEqual([])
    expect(siftEvents([late(90)], [{ ...over, announced: false, waiting: down.id }]).sent).toHaveLength(1)
    for (const [name, event] of Object.entries({ after: late(50), before: late(600), unknown: down })) {
      expect(siftEvents([event], [over]).sent, name).toEqual([event])
    }
  })

  it("replace what waited before, unless that is among them", () => {
    const waiting = [monitor({ announced: false, waiting: down.id })]
    expect(siftEvents([up], waiting).replaced).toEqual([{ workspaceId, eventId: down.id }])
    expect(siftEvents([down, up], waiting).replaced).toEqual([])
  })

  it("end its trouble when it is deleted, and free those that waited for it", () => {
    const deleted = event("evt_4", "monitor.deleted")
    expect(siftEvents([deleted], []).over).toEqual([monitorId])
    expect(freedBy([down, deleted])).toEqual([{ workspaceId, monitorId }])
  })
})

describe("an alert that waits", () => {
  it("goes out while its monitor is in trouble and nothing keeps it back, and else is looked at again or never", () => {
    const review = (troubled: boolean, keptBack: boolean) => reviewAlert({ troubled, keptBack }, at)
    expect(review(true, false)).toEqual({ again: null, released: true })
    expect(review(true, true)).toEqual({ again: DateTime.add(at, { minutes: 5 }), released: false })
    expect(review(false, false)).toEqual({ again: null, released: false })
  })

  it("keeps pages back while its parent is certainly down only if people are paged about that", () => {
    expect(keptBackBy(monitor(), incident)).toEqual({ down: true, pages: false, reviewAt })
    expect(keptBackBy(monitor({ parentPaged: true }), incident)).toEqual({ down: true, pages: true, reviewAt })
    expect(keptBackBy(monitor({ parentDown: false }), incident)).toEqual({ down: false, pages: true, reviewAt })
    expect(keptBackBy(monitor({ parentId: null, parentDown: null }), incident)).toBeNull()
  })

  it("keeps no pages of a later incident back", () => {
    const waiting = {
      parentId: null,
      parentDown: null,
      announced: false,
      waiting: EventId.make("evt_1"),
      waitingFor: incident.id
    }
    expect(keptBackBy(monitor(waiting), incident)).toEqual({ down: true, pages: true, reviewAt })
    expect(keptBackBy(monitor(waiting), { ...incident, id: IncidentId.make("inc_2") })).toBeNull()
  })
})
