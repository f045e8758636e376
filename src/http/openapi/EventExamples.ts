/** Example values for the data of events, merged over the generated ones so that each tells one story. */
import { Predicate } from "effect"
import type { EventType } from "../../../schema/event/Event.ts"
import { httpTarget } from "./RecordExamples.ts"

type Values = Readonly<Record<string, unknown>>

const id = (prefix: string) => `${prefix}_01k9x2m4q8e7s9v3bthn5wza6c`

const monitor = (state: string): Values => ({
  name: "Checkout API",
  state,
  http: { ...httpTarget, assertions: [] }
})

const url = `https://belltower.example/incidents/${id("inc")}`

const up: Values = { outcome: "up", statusCode: 200, latencyMs: 184, error: null, cause: null, hasEvidence: true }

const slow: Values = {
  outcome: "degraded",
  statusCode: 200,
  latencyMs: 3120,
  error: "The response took 3120 ms, more than 2000 ms",
  cause: "slow",
  hasEvidence: true
}

const incident = (status: string, body: string, more: Values = {}): Values => {
  const update = { status, body }
  return {
    incident: {
      status,
      automatic: false,
      monitorId: null,
      updates: [{ id: id("upd"), at: "2026-11-20T08:00:00.000Z", ai: false, public: true, ...update }],
      ...more
    },
    update
  }
}

const maintenance = (status: string, body: string): Values =>
  incident(status, body, {
    kind: "maintenance",
    title: "Database upgrade",
    impact: "none",
    startedAt: "2026-11-20T22:00:00.000Z",
    resolvedAt: status === "completed" ? "2026-11-20T23:00:00.000Z" : null,
    scheduledStart: "2026-11-20T22:00:00.000Z",
    scheduledEnd: "2026-11-20T23:00:00.000Z",
    components: [{ componentId: id("cmp"), status: "maintenance" }]
  })

const examples: Partial<Readonly<Record<EventType, Values>>> = {
  "monitor.down": { monitor: monitor("down"), from: "up", incident: { title: "Checkout API is down", url } },
  "monitor.up": { monitor: monitor("up"), from: "down", check: up, downtimeSeconds: 480, incident: { url, resolved: true } },
  "monitor.degraded": { monitor: monitor("degraded"), from: "up", check: slow },
  "monitor.reminder": {
    monitor: monitor("down"),
    downForMinutes: 30,
    reminderAfterMinutes: 30
  },
  "monitor.flapping": { monitor: monitor("down"), incident: { url } },
  "incident.created": incident("investigating", "We are looking into it."),
  "incident.updated": incident("identified", "A deploy slowed checkouts down. We are rolling it back."),
  "incident.resolved": {
    ...incident("resolved", "The deploy is rolled back and checkouts work again.", { resolvedAt: "2026-11-20T08:00:00.000Z" }),
    durationMinutes: 8,
    durationText: "8 minutes"
  },
  "maintenance.scheduled": maintenance("scheduled", "We upgrade the database. Checkouts pause for some minutes."),
  "maintenance.started": maintenance("in_progress", "The upgrade has started."),
  "maintenance.updated": maintenance("in_progress", "Half of the upgrade is done."),
  "maintenance.completed": maintenance("completed", "The upgrade is done."),
  "incident.acknowledged": { ack: { note: "I take this one." } },
  "incident.escalated": {
    monitor: monitor("down"),
    policy: { name: "Checkout" },
    level: 2,
    levels: 3,
    unacknowledgedForMinutes: 10,
    notified: { users: [] }
  },
  "component.status_changed": { component: { status: "major_outage" }, to: "major_outage" },
  "test.ping": { message: "This is a test of Belltower's alerts.", channel: { name: "On-call webhook" } }
}

const merged = (generated: unknown, given: unknown): unknown =>
  Predicate.isRecord(generated) && Predicate.isRecord(given)
    ? {
      ...generated,
      ...Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, name in generated ? merged(generated[name], value) : value])
      )
    }
    : given

export const eventExample = (type: EventType, generated: unknown): unknown => merged(generated, { data: examples[type] ?? {} })
