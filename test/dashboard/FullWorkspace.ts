/** A workspace that has something of everything, so that each view of the dashboard has all its forms. */
import { Effect } from "effect"
import { newOwner, type Visitor } from "../support/browser/Visitor.ts"
import { pixel } from "../support/files/Pixel.ts"

const kinds = [
  { name: "Shop", url: "http://127.0.0.1:9/", tags: ["web"] },
  { name: "Backup", kind: "heartbeat", periodSec: 600, graceSec: 60 },
  { name: "Mail", kind: "tcp", host: "127.0.0.1", port: 9 },
  { name: "Names", kind: "dns", host: "acme.example", recordType: "A" },
  { name: "Providers", kind: "manifest", url: "http://127.0.0.1:9/status.json" }
]

type Caller = Pick<Visitor, "api">

/** Creates records one after the other; answers what was made. A refusal is a fault of the test. */
const makes = (visitor: Caller) => (path: string, body: unknown, method = "POST") =>
  Effect.flatMap(
    visitor.api(method, path, body),
    (answer) => answer.status < 400 ? Effect.succeed(answer.body) : Effect.dieMessage(`${path}: ${answer.text}`)
  )

const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

/** Replaces the names of records: the longest that are accepted, or the given ones. */
export type Naming = (usual: string, longest: number) => string

export const fillWorkspace = Effect.fn("fillWorkspace")(function*(visitor: Caller, named: Naming = (usual) => usual) {
  const make = makes(visitor)
  const channel = yield* make("/channels", { name: named("Hook", 80), type: "webhook", url: "http://127.0.0.1:9/hook" })
  yield* make("/channels", { name: named("Mail", 80), type: "email", emails: ["oncall@acme.example"] })
  const monitors = []
  for (const { name, ...kind } of kinds) monitors.push(yield* make("/monitors", { ...kind, name: named(name, 120) }))
  const token = new URL(monitors[1].pingUrl).pathname.split("/").at(-1)
  yield* make(`/heartbeat/${token}`, { status: "down", message: "tar: disk full", durationMs: 1500 })
  const page = yield* make("/pages", { name: named("Acme", 80), slug: `acme-${channel.id.slice(-8).toLowerCase()}` })
  const components = []
  for (const input of [{ manual: true }, { monitorIds: [monitors[0].id], group: named("Web", 80) }, { push: true }]) {
    const name = named("Checkout", 100)
    components.push(yield* make(`/pages/${page.id}/components`, { name: `${name}`, ...input }))
  }
  const { data: [person] } = yield* make("/oncall/members", undefined, "GET")
  const schedule = yield* make("/oncall/schedules", {
    name: named("Platform", 80),
    timezone: "UTC",
    handoffDay: 0,
    handoffTime: "09:00",
    participants: [person.id]
  })
  yield* make(`/oncall/schedules/${schedule.id}/overrides`, { userId: person.id, start: soon(1), end: soon(9) })
  const policy = yield* make("/escalation-policies", {
    name: named("Escalate", 80),
    levels: [{ afterMinutes: 0, targets: [{ type: "schedule", id: schedule.id }, { type: "channel", id: channel.id }] }]
  })
  yield* make("/images", { data: pixel })
  const template = yield* make("/incident-templates", {
    name: named("First words", 80),
    kind: "incident",
    title: named("Slow", 200),
    body: "We look into it."
  })
  const incident = yield* make("/incidents", {
    title: named("Slow checkout", 200),
    message: "We look into it.",
    components: [{ componentId: components[0].id, status: "degraded" }]
  })
  const over = yield* make("/incidents", { title: named("Lost mails", 200), message: "Mails are late." })
  yield* make(`/incidents/${over.id}/resolve`, {})
  const maintenance = yield* make("/maintenance", {
    title: named("Upgrade", 200),
    message: "Checkout is unavailable.",
    scheduledStart: soon(48),
    scheduledEnd: soon(50),
    pageIds: [page.id]
  })
  const apiKey = yield* make("/api-keys", { name: named("deploys", 80), scopes: ["read"] })
  yield* make("/members", { email: "invited@example.com", role: "member" })
  const drill = yield* make("/drills", { channelIds: [channel.id] })
  const job = yield* make("/import", { source: "gatus", document: "endpoints: []" })
  return { apiKey, channel, drill, job, components, incident, maintenance, monitors, over, page, policy, schedule, template }
})

export const fullWorkspace = Effect.gen(function*() {
  const owner = yield* newOwner()
  return { ...owner, made: yield* fillWorkspace(owner.visitor) }
})
