/** An alert names what its monitor looks at, whatever the monitor's kind. */
import { expect, it } from "@effect/vitest"
import { DateTime, Either, Struct } from "effect"
import { encodeEventData } from "../../../schema/event/EventData.ts"
import { EventId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorUpdate } from "../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import { alertMessage } from "../../../src/domain/alert/AlertMessage.ts"
import { eventMonitor } from "../../../src/domain/monitor/MonitorRecord.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"

const at = DateTime.unsafeMake("2026-11-20T08:00:00Z")
const host = "a.test"

/** The settings of each kind, and the target that its alerts name. */
const targets: Readonly<Record<MonitorKind, readonly [MonitorUpdate, string | null]>> = {
  http: [{ url: "https://a.test/x?token=abc" }, "https://a.test/x?token=[hidden]"],
  manifest: [{ url: "https://a.test/m.json" }, "https://a.test/m.json"],
  websocket: [{ url: "wss://a.test/s" }, "wss://a.test/s"],
  mcp: [{ url: "https://a.test/mcp" }, "https://a.test/mcp"],
  tcp: [{ host, port: 5432 }, "a.test:5432"],
  grpc: [{ host, port: 443 }, "a.test:443"],
  dns: [{ host }, host],
  ping: [{ host }, host],
  domain: [{ host }, host],
  heartbeat: [{ periodSec: 60 }, null],
  script: [{ code: "log(1)" }, null],
  browser: [{ code: "log(1)" }, null]
}

it.each(Struct.keys(targets))("an alert of a %s monitor names its target", (kind) => {
  const [settings, expected] = targets[kind]
  const { target } = Either.getOrThrow(settleNew({ name: "x", kind, ...settings }, { channelIds: [], regions: [] }))
  const monitor = eventMonitor({ id: MonitorId.make("mon_1"), name: "x", target, tags: [] }, "down", "https://b.test/app")
  const data = {
    monitor,
    downForMinutes: 5,
    reminderAfterMinutes: 5,
    incident: { id: IncidentId.make("inc_1"), title: "x is down" }
  }
  const event = {
    id: EventId.make("evt_1"),
    workspaceId: WorkspaceId.make("ws_1"),
    type: "monitor.reminder" as const,
    at,
    data: encodeEventData({ type: "monitor.reminder", data })
  }
  const { facts } = alertMessage(event, null)
  expect(facts.find(({ label }) => label === "Target")?.value ?? null).toBe(expected)
})
