import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import { AlertDispatcher } from "../../../cluster/alert/AlertDispatcher.ts"
import * as Cluster from "../../../cluster/Cluster.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import {
  answering,
  degraded,
  fanOut,
  ground,
  incidentCreated,
  loopback,
  newChannel,
  newMonitor,
  newWorkspace,
  receiver,
  rowsOf
} from "./Receiver.ts"

const record = (workspaceId: WorkspaceId, monitorId: MonitorId) =>
  Effect.flatMap(EventLog, (log) => log.append(workspaceId, [{ type: "monitor.degraded", data: degraded(monitorId) }]))

const live = { excludeTestServices: true }
const listening = (allow: typeof loopback) =>
  Wakeups.Default.pipe(Layer.provideMerge(ground(allow)), Layer.merge(Cluster.layerSingle))

layer(listening(loopback), live)("the notifier", (it) => {
  it.scoped("delivers an event, signed, to the channels attached to its monitor and to no other", () =>
    Effect.gen(function*() {
      const attached = yield* receiver(answering(200))
      const aside = yield* receiver(answering(200))
      const workspaceId = yield* newWorkspace
      const channel = yield* newChannel(workspaceId, attached.url, { headers: { "X-Team": "Night watch" } })
      const other = yield* newChannel(workspaceId, aside.url)
      const monitorId = yield* newMonitor(workspaceId, [channel.id])
      yield* Layer.build(AlertDispatcher)
      const [eventId] = yield* record(workspaceId, monitorId)
      const { body, headers } = yield* attached.next
      const text = (name: string) => String(headers[name])
      expect(new Webhook(channel.signingSecret ?? "").verify(body, {
        "webhook-id": text("webhook-id"),
        "webhook-timestamp": text("webhook-timestamp"),
        "webhook-signature": text("webhook-signature")
      })).toMatchObject({
        id: eventId,
        type: "monitor.degraded",
        workspaceId,
        data: { monitor: { _id: monitorId, name: "Shop" } }
      })
      expect(Object.keys(JSON.parse(body))).toEqual(["id", "type", "timestamp", "workspaceId", "data"])
      expect(headers).toMatchObject({ "webhook-id": eventId, "x-team": "Night watch" })
      expect(yield* rowsOf(other.id)).toEqual([])
    }))

  it.scoped("notifies channels of incidents that a person opened, but not of those that a monitor opened", () =>
    Effect.gen(function*() {
      const { next, seen, url } = yield* receiver(answering(200))
      const workspaceId = yield* newWorkspace
      yield* newChannel(workspaceId, url)
      const log = yield* EventLog
      yield* Layer.build(AlertDispatcher)
      yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(true) }])
      const [byHand] = yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
      yield* next
      expect(seen.map(({ headers }) => headers["webhook-id"])).toEqual([byHand])
    }))

  it.scoped("keeps the order of events on a channel that people read", () =>
    Effect.gen(function*() {
      const { next, seen, url } = yield* receiver(answering(200))
      const workspaceId = yield* newWorkspace
      yield* newChannel(workspaceId, url, { type: "slack" })
      const log = yield* EventLog
      const titles = Array.from({ length: 12 }, (_, index) => `Incident ${String(index).padStart(2, "0")}`)
      const { incident, update } = incidentCreated(false)
      // One batch of the fan-out, so that all are due at the same time.
      yield* log.append(
        workspaceId,
        titles.map((title) => ({ type: "incident.created", data: { update, incident: { ...incident, title } } }))
      )
      yield* Layer.build(AlertDispatcher)
      yield* Effect.replicateEffect(next, titles.length)
      expect(seen.map(({ body }) => /Incident \d\d/.exec(body)?.[0])).toEqual(titles)
    }))

  it.scoped("never sends a workspace's events to another workspace's channels", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(answering(200))
      const [mine, theirs] = [yield* newWorkspace, yield* newWorkspace]
      const channel = yield* newChannel(theirs, url, { events: ["*"] })
      const monitorId = yield* newMonitor(mine, [channel.id])
      const log = yield* EventLog
      yield* record(mine, monitorId)
      yield* log.append(mine, [{ type: "incident.created", data: incidentCreated(false) }])
      // Their own event makes the same step look at the channel.
      yield* log.append(theirs, [{ type: "incident.created", data: incidentCreated(true) }])
      yield* fanOut(100)
      expect(yield* rowsOf(channel.id)).toEqual([])
    }))

  it.scoped("creates one delivery per event and channel, however many runners plan deliveries", () =>
    Effect.gen(function*() {
      const workspaceId = yield* newWorkspace
      const channel = yield* newChannel(workspaceId, "http://127.0.0.1:1/")
      const monitorId = yield* newMonitor(workspaceId, [channel.id])
      yield* Effect.replicateEffect(record(workspaceId, monitorId), 40)
      const counts = yield* Effect.all(Array.from({ length: 12 }, () => fanOut(7)), { concurrency: 4 })
      yield* fanOut(100)
      expect(counts.reduce((sum, { events }) => sum + events, 0)).toBeLessThanOrEqual(40)
      expect((yield* rowsOf(channel.id)).length).toBe(40)
      expect(yield* fanOut(100)).toEqual({ events: 0, more: false })
      // Replayed events, as after a restore of the events alone, create no duplicates.
      yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update events set fanned_out = false where workspace_id = ${workspaceId}`
      )
      yield* fanOut(100)
      expect((yield* rowsOf(channel.id)).length).toBe(40)
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from deliveries`)
    }))

  it.scoped("reports an acknowledgement on the channels that received the incident", () =>
    Effect.gen(function*() {
      const workspaceId = yield* newWorkspace
      const notified = yield* newChannel(workspaceId, "http://127.0.0.1:1/", { events: ["incident.*"] })
      const log = yield* EventLog
      yield* log.append(workspaceId, [{ type: "incident.created", data: incidentCreated(false) }])
      yield* fanOut(100)
      const late = yield* newChannel(workspaceId, "http://127.0.0.1:1/", { events: ["incident.*"] })
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`
        insert into events (workspace_id, id, type, at, data)
        values (${workspaceId}, 'evt_7zzzzzzzzzzzzzzzzzzzzzzzzz', 'incident.acknowledged', now(), '{"incident":{"id":"inc_1"}}')`)
      yield* fanOut(100)
      expect((yield* rowsOf(notified.id)).length).toBe(2)
      expect((yield* rowsOf(late.id)).length).toBe(0)
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from deliveries`)
    }))

  it.scoped("reports an acknowledgement that is fanned out together with its alert", () =>
    Effect.gen(function*() {
      const workspaceId = yield* newWorkspace
      const channel = yield* newChannel(workspaceId, "http://127.0.0.1:1/", { type: "opsgenie", token: "key" })
      const late = yield* newChannel(workspaceId, "http://127.0.0.1:1/", { events: ["incident.acknowledged"] })
      const log = yield* EventLog
      const { incident } = incidentCreated(false)
      const ack = { at: yield* DateTime.now, by: "ops@example.com", via: "api" as const }
      const created = yield* log.append(workspaceId, [
        { type: "incident.created", data: incidentCreated(false) },
        { type: "incident.acknowledged", data: { incident, ack } }
      ])
      yield* fanOut(100)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select event_id as id from deliveries where channel_id = ${channel.id} order by due_at`
      expect(rows).toEqual(created.map((id) => ({ id })))
      expect(yield* rowsOf(late.id)).toEqual([])
    }))

  it.scoped("keeps a slow receiver from delaying others, and sends it one delivery until it has answered once", () =>
    Effect.gen(function*() {
      const slow = yield* receiver(() => {})
      const quick = yield* receiver(answering(200))
      const workspaceId = yield* newWorkspace
      const slowChannel = yield* newChannel(workspaceId, slow.url)
      const quickChannel = yield* newChannel(workspaceId, quick.url)
      const drowned = yield* newMonitor(workspaceId, [slowChannel.id])
      const calm = yield* newMonitor(workspaceId, [quickChannel.id])
      yield* Effect.replicateEffect(record(workspaceId, drowned), 60)
      yield* record(workspaceId, calm)
      yield* Layer.build(AlertDispatcher)
      yield* quick.next
      yield* slow.next
      yield* record(workspaceId, calm)
      yield* quick.next
      expect(slow.seen.length).toBe(1)
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from deliveries`)
    }))

  it.scoped("lets another runner deliver what a stopped one had in flight", () =>
    Effect.gen(function*() {
      const { next, seen, url } = yield* receiver((response, count) => void (count > 1 && response.writeHead(200).end()))
      const workspaceId = yield* newWorkspace
      const channel = yield* newChannel(workspaceId, url)
      const monitorId = yield* newMonitor(workspaceId, [channel.id])
      yield* record(workspaceId, monitorId)
      yield* Effect.scoped(Effect.zipRight(Layer.build(AlertDispatcher), next))
      yield* Layer.build(AlertDispatcher)
      yield* next
      expect(seen[1]).toMatchObject({ body: seen[0]?.body, headers: { "webhook-id": seen[0]?.headers["webhook-id"] } })
    }))

  it.scoped("recovers by itself when the database has cut every connection", () =>
    Effect.gen(function*() {
      const { next, url } = yield* receiver(answering(200))
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* newWorkspace
      const channel = yield* newChannel(workspaceId, url)
      const monitorId = yield* newMonitor(workspaceId, [channel.id])
      yield* Layer.build(AlertDispatcher)
      yield* record(workspaceId, monitorId)
      yield* next
      yield* Effect.exit(sql`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
      yield* record(workspaceId, monitorId).pipe(Effect.sandbox, Effect.retry({ times: 20 }))
      yield* next
    }))

  it.scoped("delivers the alerts of a workspace beside an event of another one that cannot be read", () =>
    Effect.gen(function*() {
      const { next, url } = yield* receiver(answering(200))
      const sql = yield* SqlClient.SqlClient
      const [broken, workspaceId] = [yield* newWorkspace, yield* newWorkspace]
      const channel = yield* newChannel(workspaceId, url)
      const monitorId = yield* newMonitor(workspaceId, [channel.id])
      const log = yield* EventLog
      yield* log.append(broken, [{ type: "incident.created", data: incidentCreated(false) }])
      yield* sql`update events set data = '[]' where workspace_id = ${broken}`
      yield* record(workspaceId, monitorId)
      yield* Layer.build(AlertDispatcher)
      yield* next
      // The next alerts go with those of all others, whatever becomes of the broken event.
      yield* record(workspaceId, monitorId)
      yield* next
      yield* sql`delete from workspaces where id = ${broken}`
    }))

  it.scoped("records a delivery as delivered", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(answering(200))
      const workspaceId = yield* newWorkspace
      const channel = yield* newChannel(workspaceId, url)
      const monitorId = yield* newMonitor(workspaceId, [channel.id])
      yield* Layer.build(AlertDispatcher)
      yield* record(workspaceId, monitorId)
      const delivered = Effect.repeat(Effect.zipRight(Effect.yieldNow(), rowsOf(channel.id)), {
        until: ([row]) => row?.status === "delivered"
      })
      expect(yield* delivered).toMatchObject([{ attempts: 1, last_error: null }])
    }))
})

layer(listening([]), live)("without an allow list, the notifier", (it) => {
  it.scoped("sends nothing to a private address, and marks the delivery dead", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(200))
      const workspaceId = yield* newWorkspace
      const channel = yield* newChannel(workspaceId, "https://hooks.example.com/")
      // As if its name led there only now: a channel with this URL is refused.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update channels set url = ${url.replace("127.0.0.1", "localhost")} where id = ${channel.id}`
      const monitorId = yield* newMonitor(workspaceId, [channel.id])
      yield* Layer.build(AlertDispatcher)
      yield* record(workspaceId, monitorId)
      const dead = Effect.repeat(Effect.zipRight(Effect.yieldNow(), rowsOf(channel.id)), {
        until: ([row]) => row?.status === "dead"
      })
      expect(yield* dead).toMatchObject([{ attempts: 1, last_error: expect.stringContaining("not a public address") }])
      expect(seen).toEqual([])
    }))
})
