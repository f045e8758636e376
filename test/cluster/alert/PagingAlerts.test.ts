/** Alerts at paging services on a runner: whatever ends an incident closes each of its alerts, once, and no alert of a later one. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { ChannelInput } from "../../../schema/alert/Channel.ts"
import { type ChannelId, DeliveryId, IncidentId, PolicyId, type WorkspaceId } from "../../../schema/Ids.ts"
import { ChannelAddresses, publicAddresses } from "../../../src/notify/alert/ChannelAddresses.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { ManageDeliveries } from "../../../src/operations/alert/ManageDeliveries.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { AlertedChannels } from "../../../src/store/alert/AlertedChannels.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { alertApi, eventsApi } from "../../notify/alert/PagingServices.ts"
import { incidentCreated, receiver } from "../../notify/alert/Receiver.ts"
import { TestRunner } from "../../support/TestRunner.ts"
import { until } from "../../support/Until.ts"
import { acknowledge, setUp } from "./AlertedWorkspace.ts"

/** PagerDuty, which all workspaces of the file share: its address is a setting of the deployment. */
class PagerDuty extends Context.Tag("PagerDuty")<PagerDuty, ReturnType<typeof eventsApi>>() {}

const services = Layer.scopedContext(Effect.gen(function*() {
  const api = eventsApi()
  const { url } = yield* receiver(api.respond)
  const addresses = { ...publicAddresses, pagerduty: new URL(url).origin }
  return Context.make(PagerDuty, api).pipe(Context.add(ChannelAddresses, addresses))
}))

const operations = Layer.mergeAll(
  AcknowledgeIncident.Default,
  ManageChannels.Default,
  ManageDeliveries.Default,
  ManagePolicies.Default,
  OpenIncident.Default,
  UpdateIncident.Default
)

/** An Opsgenie of its own, with the settings of a channel that sends to it. */
const opsgenie = Effect.gen(function*() {
  const api = alertApi()
  const { url } = yield* receiver(api.respond)
  return { api, settings: { token: "k3y", url: new URL(url).origin } }
})

const addChannel = (workspaceId: WorkspaceId, input: Partial<ChannelInput>) =>
  Effect.flatMap(
    ManageChannels,
    ({ create }) => create(workspaceId, { name: "Pager", type: "opsgenie", isDefault: false, ...input })
  )

/** Pages the channels as soon as an incident opens. */
const escalateTo = (workspaceId: WorkspaceId, channelIds: ReadonlyArray<ChannelId>) =>
  Effect.flatMap(ManagePolicies, ({ create }) =>
    create(workspaceId, {
      name: "Platform",
      levels: [{ afterMinutes: 0, targets: channelIds.map((id) => ({ type: "channel" as const, id })) }]
    }))

/** Waits until nothing of a workspace is on its way. */
const settled = (workspaceId: WorkspaceId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    until(
      sql`
      select from events where workspace_id = ${workspaceId} and not fanned_out
      union all
      select from deliveries where workspace_id = ${workspaceId} and status = 'due'
      union all
      select from alarms where workspace_id = ${workspaceId} and kind = 'incident' and due_at <= now()`,
      (rows) => rows.length === 0
    ))

/** Lets the time pass until the next attempts. */
const retryNow = (workspaceId: WorkspaceId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.all([
      sql`update deliveries set due_at = now() where workspace_id = ${workspaceId} and status = 'due'`,
      sql`update delivery_queues set retry_at = now() where workspace_id = ${workspaceId} and retry_at < 'infinity'`,
      sql`update delivery_turns set ready_at = now() where workspace_id = ${workspaceId}`,
      sql`select pg_notify('belltower_deliveries', '')`
    ], { discard: true }))

/** Waits until so many deliveries have failed and are due again. */
const failed = (workspaceId: WorkspaceId, count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    until(
      sql`select from deliveries where workspace_id = ${workspaceId} and status = 'due' and attempts > 0`,
      (rows) => rows.length === count
    ))

const incidentOf = (monitorId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly id: string }>`select id from incidents where monitor_id = ${monitorId} order by id desc limit 1`,
      ([row]) => `belltower incident ${row?.id}`
    ))

const idOf = (key: string) => IncidentId.make(key.replace("belltower incident ", ""))

layer(Layer.provideMerge(operations, Layer.provideMerge(TestRunner, services)), { excludeTestServices: true })((it) => {
  describe("the end of an outage", () => {
    it.scoped("closes the alert that only an escalation policy opened, and the next outage opens another", () =>
      Effect.gen(function*() {
        const { api, settings } = yield* opsgenie
        const { monitor, workspaceId } = yield* setUp("webhook")
        yield* escalateTo(workspaceId, [(yield* addChannel(workspaceId, { ...settings, events: ["test.ping"] })).id])
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        yield* until(Effect.sync(() => api.history), (asked) => asked.length === 1)
        const first = yield* incidentOf(id)
        yield* reach(2, "up")
        yield* until(Effect.sync(() => api.history), (asked) => asked.length === 2)
        yield* reach(3, "down")
        yield* until(Effect.sync(() => api.history), (asked) => asked.length === 3)
        const second = yield* incidentOf(id)
        expect(api.history).toEqual([["create", first], ["close", first], ["create", second]])
        expect(first).not.toBe(second)
        expect([...api.open.keys()]).toEqual([second])
      }))

    it.scoped("closes the alert of a channel that is attached and paged by a policy, too, once", () =>
      Effect.gen(function*() {
        const pagerDuty = yield* PagerDuty
        const { channel, monitor, workspaceId } = yield* setUp("pagerduty", { token: "R0UT1NG" })
        yield* escalateTo(workspaceId, [channel.id])
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        const key = yield* incidentOf(id)
        const asked = Effect.sync(() => pagerDuty.history.filter(([, of]) => of === key).map(([action]) => action))
        yield* until(asked, (actions) => actions.length === 2)
        yield* acknowledge(workspaceId, id)
        yield* reach(2, "up")
        yield* until(asked, (actions) => actions.includes("resolve"))
        yield* settled(workspaceId)
        expect(yield* asked).toEqual(["trigger", "trigger", "acknowledge", "resolve"])
      }))

    it.scoped("closes the alert that channels with the same settings share, once, though each heard of it otherwise", () =>
      Effect.gen(function*() {
        const { api, settings } = yield* opsgenie
        const { monitor, workspaceId } = yield* setUp("opsgenie", settings)
        yield* escalateTo(workspaceId, [(yield* addChannel(workspaceId, settings)).id])
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        const key = yield* incidentOf(id)
        yield* until(Effect.sync(() => api.history), (asked) => asked.length === 2)
        yield* reach(2, "up")
        yield* until(Effect.sync(() => api.history), (asked) => asked.length > 2)
        yield* settled(workspaceId)
        expect(api.history).toEqual([["create", key], ["create", key], ["close", key]])
      }))

    it.scoped("closes the alert about degradation before it as well, each once", () =>
      Effect.gen(function*() {
        const { api, settings } = yield* opsgenie
        const { monitor, workspaceId } = yield* setUp("opsgenie", settings)
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "degraded")
        yield* reach(2, "down")
        yield* settled(workspaceId)
        const outage = yield* incidentOf(id)
        yield* reach(3, "up")
        yield* settled(workspaceId)
        yield* reach(4, "degraded")
        yield* reach(5, "up")
        yield* settled(workspaceId)
        const degradation = `belltower monitor ${id}`
        expect(api.history).toEqual([
          ["create", degradation],
          ["create", outage],
          ["close", degradation],
          ["close", outage],
          ["create", degradation],
          ["close", degradation]
        ])
      }))

    it.scoped("closes an alert that the version before opened under the key of the monitor", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { api, settings } = yield* opsgenie
        const { channel, monitor, workspaceId } = yield* setUp("opsgenie", settings)
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        yield* settled(workspaceId)
        yield* sql`delete from alerted_channels where workspace_id = ${workspaceId}`
        yield* sql`
          insert into alerted_channels (workspace_id, incident_id, channel_id, alerted_at)
          values (${workspaceId}, ${idOf(yield* incidentOf(id))}, ${channel.id}, now())`
        yield* acknowledge(workspaceId, id)
        yield* settled(workspaceId)
        yield* reach(2, "up")
        yield* settled(workspaceId)
        expect(api.history.slice(1)).toEqual([["acknowledge", `belltower monitor ${id}`], ["close", `belltower monitor ${id}`]])
      }))
  })

  describe("without a recovery, the alerts of channels that are attached or paged by a policy are closed once, when", () => {
    /** A monitor that is down, with both alerts open; the events of each service, and the key of the alert. */
    const alerted = Effect.gen(function*() {
      const [attached, paged] = [yield* opsgenie, yield* opsgenie]
      const { monitor, workspaceId } = yield* setUp("opsgenie", attached.settings)
      yield* escalateTo(workspaceId, [(yield* addChannel(workspaceId, paged.settings)).id])
      const { id, reach } = yield* monitor("Shop")
      yield* reach(1, "down")
      const histories = Effect.sync(() => [attached.api.history, paged.api.history])
      yield* until(histories, (all) => all.every(({ length }) => length === 1))
      return { id, reach, workspaceId, histories, key: yield* incidentOf(id) }
    })
    const closed = (key: string) => [["create", key], ["close", key]]

    it.scoped("the monitor is paused", () =>
      Effect.gen(function*() {
        const { histories, id, key, workspaceId } = yield* alerted
        yield* Effect.flatMap(ManageMonitors, ({ update }) => update(workspaceId, id, { paused: true }))
        yield* until(histories, (all) => all.every(({ length }) => length > 1))
        yield* settled(workspaceId)
        expect(yield* histories).toEqual([closed(key), closed(key)])
      }))

    it.scoped("the monitor is deleted", () =>
      Effect.gen(function*() {
        const { histories, id, key, workspaceId } = yield* alerted
        yield* Effect.flatMap(ManageMonitors, ({ remove }) => remove(workspaceId, id))
        yield* settled(workspaceId)
        expect(yield* histories).toEqual([closed(key), closed(key)])
      }))

    it.scoped("a person resolves the incident; the recovery after that closes nothing", () =>
      Effect.gen(function*() {
        const { histories, key, reach, workspaceId } = yield* alerted
        yield* Effect.flatMap(UpdateIncident, ({ resolve }) => resolve(workspaceId, idOf(key), {}))
        yield* settled(workspaceId)
        expect(yield* histories).toEqual([closed(key), closed(key)])
        yield* reach(2, "up")
        yield* settled(workspaceId)
        expect(yield* histories).toEqual([closed(key), closed(key)])
      }))
  })

  it.scoped("an incident that people write closes the alert of a channel that hears of it by a policy only", () =>
    Effect.gen(function*() {
      const { api, settings } = yield* opsgenie
      const { workspaceId } = yield* setUp("webhook", { events: ["test.ping"] })
      yield* escalateTo(workspaceId, [(yield* addChannel(workspaceId, { ...settings, events: ["test.ping"] })).id])
      const { create } = yield* OpenIncident
      const { id } = yield* create(workspaceId, { title: "Slow checkout", message: "We look into it." })
      yield* until(Effect.sync(() => api.history), (asked) => asked.length === 1)
      yield* Effect.flatMap(UpdateIncident, ({ resolve }) => resolve(workspaceId, id, {}))
      yield* settled(workspaceId)
      expect(api.history).toEqual([["create", `belltower incident ${id}`], ["close", `belltower incident ${id}`]])
    }))

  it.scoped("an incident that components open closes the alert of a channel that hears of it by a policy only", () =>
    Effect.gen(function*() {
      const { api, settings } = yield* opsgenie
      const { log, workspaceId } = yield* setUp("webhook")
      const channel = yield* addChannel(workspaceId, settings)
      const { incident, update } = incidentCreated(true)
      yield* log.append(workspaceId, [{
        type: "incident.escalated",
        data: {
          incident,
          policy: { id: PolicyId.make("pol_1"), name: "Platform" },
          level: 1,
          levels: 1,
          round: 1,
          unacknowledgedForMinutes: 0,
          notified: { channelIds: [channel.id], users: [] }
        }
      }])
      yield* settled(workspaceId)
      const resolved = { ...incident, status: "resolved" as const, resolvedAt: update.at }
      yield* log.append(workspaceId, [{
        type: "incident.resolved",
        data: { incident: resolved, update, manual: false, durationMinutes: 1, durationText: "1 min" }
      }])
      yield* settled(workspaceId)
      expect(api.history).toEqual([["create", `belltower incident ${incident.id}`], [
        "close",
        `belltower incident ${incident.id}`
      ]])
    }))

  it.scoped("an outage closes its alert however long it lasts", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { prune } = yield* AlertedChannels
      const { api, settings } = yield* opsgenie
      const { monitor, workspaceId } = yield* setUp("opsgenie", settings)
      const { id, reach } = yield* monitor("Shop")
      const rows = sql`select from alerted_channels where workspace_id = ${workspaceId}`
      const pruneLater = Effect.zipRight(
        sql`update alerted_channels set alerted_at = alerted_at - interval '31 days' where workspace_id = ${workspaceId}`,
        Effect.flatMap(DatabaseClock, (clock) => Effect.flatMap(clock.now, prune))
      )
      yield* reach(1, "down")
      yield* settled(workspaceId)
      yield* pruneLater
      yield* reach(2, "up")
      yield* settled(workspaceId)
      const key = yield* incidentOf(id)
      expect(api.history).toEqual([["create", key], ["close", key]])
      expect((yield* rows).length).toBe(1)
      yield* pruneLater
      expect(yield* rows).toEqual([])
    }))

  describe("while the service is away,", () => {
    it.scoped("the end of an outage that is retried late leaves the alert of the next outage open", () =>
      Effect.gen(function*() {
        const { api, settings } = yield* opsgenie
        const { monitor, workspaceId } = yield* setUp("opsgenie", settings)
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        yield* settled(workspaceId)
        const first = yield* incidentOf(id)
        api.isAway = true
        yield* reach(2, "up")
        yield* failed(workspaceId, 1)
        api.isAway = false
        yield* reach(3, "down")
        const second = yield* incidentOf(id)
        yield* until(Effect.sync(() => api.open), (open) => open.has(second))
        yield* retryNow(workspaceId)
        yield* settled(workspaceId)
        expect(api.history).toEqual([["create", first], ["create", second], ["close", first]])
        expect([...api.open.keys()]).toEqual([second])
      }))

    it.scoped("an alert that is retried late does not open again what was closed, nor does a replay", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { api, settings } = yield* opsgenie
        const { monitor, workspaceId } = yield* setUp("opsgenie", settings)
        // The same service by another channel, whose alert shares the delivery that closes both.
        yield* escalateTo(workspaceId, [(yield* addChannel(workspaceId, settings)).id])
        api.isAway = true
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        yield* failed(workspaceId, 2)
        api.isAway = false
        yield* reach(2, "up")
        yield* until(Effect.sync(() => api.history), (asked) => asked.length > 0)
        yield* settled(workspaceId)
        const closing = [["close", yield* incidentOf(id)]]
        expect(api.history).toEqual(closing)
        const dead = yield* sql<{ readonly id: string; readonly last_error: string }>`
          select id, last_error from deliveries where workspace_id = ${workspaceId} and status = 'dead'`
        expect(dead.map(({ last_error }) => last_error)).toEqual(Array(2).fill(expect.stringContaining("was closed")))
        const { replay } = yield* ManageDeliveries
        expect(yield* Effect.flip(replay(workspaceId, DeliveryId.make(dead[0]?.id ?? "")))).toMatchObject({ _tag: "conflict" })
        yield* settled(workspaceId)
        expect(api.history).toEqual(closing)
      }))
  })

  describe("in quiet hours,", () => {
    /** Hours that contain the present, whatever the time of day. */
    const quietNow = Effect.map(Effect.clockWith((clock) => clock.currentTimeMillis), (millis) => {
      const clock = (minutes: number) => new Date(millis + minutes * 60_000).toISOString().slice(11, 16)
      return { quietHours: { timezone: "UTC", from: clock(-60), to: clock(60) } }
    })
    const morning = (workspaceId: WorkspaceId) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.all([
          sql`update quiet_groups set due_at = now() where workspace_id = ${workspaceId}`,
          sql`select pg_notify('belltower_alert_groups', '')`,
          until(sql`select from quiet_groups where workspace_id = ${workspaceId}`, (rows) => rows.length === 0)
        ], { discard: true }))

    it.scoped("an alert that an escalation policy opened is closed immediately, and later ones are not lost", () =>
      Effect.gen(function*() {
        const { api, settings } = yield* opsgenie
        const { channel, monitor, workspaceId } = yield* setUp("opsgenie", { ...settings, ...yield* quietNow })
        yield* escalateTo(workspaceId, [channel.id])
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        const key = yield* incidentOf(id)
        yield* until(Effect.sync(() => api.history), (asked) => asked.length === 1)
        yield* reach(2, "up")
        yield* settled(workspaceId)
        expect(api.history).toEqual([["create", key], ["close", key]])
        // The alert of the monitor waited; its incident is over.
        yield* morning(workspaceId)
        yield* settled(workspaceId)
        expect(api.history).toEqual([["create", key], ["close", key]])
      }))

    it.scoped("an alert that waits is not opened when its incident has ended by a pause", () =>
      Effect.gen(function*() {
        const { api, settings } = yield* opsgenie
        const { monitor, workspaceId } = yield* setUp("opsgenie", { ...settings, ...yield* quietNow })
        const [over, lasting] = [yield* monitor("Shop"), yield* monitor("Search")]
        for (const { reach } of [over, lasting]) yield* reach(1, "down")
        yield* Effect.flatMap(ManageMonitors, ({ update }) => update(workspaceId, over.id, { paused: true }))
        const sql = yield* SqlClient.SqlClient
        yield* until(
          sql`select from incidents where monitor_id = ${over.id} and resolved_at is not null`,
          (rows) => rows.length === 1
        )
        yield* settled(workspaceId)
        yield* morning(workspaceId)
        yield* settled(workspaceId)
        expect(api.history).toEqual([["create", yield* incidentOf(lasting.id)]])
      }))
  })

  it.scoped("a disabled channel gets no end, and its next outage opens an alert of its own", () =>
    Effect.gen(function*() {
      const { api, settings } = yield* opsgenie
      const { channel, monitor, workspaceId } = yield* setUp("opsgenie", settings)
      const { update } = yield* ManageChannels
      const { id, reach } = yield* monitor("Shop")
      yield* reach(1, "down")
      yield* settled(workspaceId)
      const first = yield* incidentOf(id)
      yield* update(workspaceId, channel.id, { enabled: false })
      yield* reach(2, "up")
      yield* settled(workspaceId)
      yield* update(workspaceId, channel.id, { enabled: true })
      yield* reach(3, "down")
      yield* settled(workspaceId)
      expect(api.history).toEqual([["create", first], ["create", yield* incidentOf(id)]])
    }))

  it.scoped("no channel of a paging service groups alerts", () =>
    Effect.gen(function*() {
      const { settings } = yield* opsgenie
      const { channel, workspaceId } = yield* setUp("opsgenie", settings)
      const { create, update } = yield* ManageChannels
      const refused = { _tag: "validation_failed", details: [{ path: "groupAlerts" }] }
      expect(yield* Effect.flip(update(workspaceId, channel.id, { groupAlerts: true }))).toMatchObject(refused)
      expect(yield* Effect.flip(create(workspaceId, { name: "Pager", type: "opsgenie", ...settings, groupAlerts: true })))
        .toMatchObject(refused)
      // Earlier versions accepted it.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update channels set group_alerts = true where id = ${channel.id}`
      expect(yield* update(workspaceId, channel.id, { name: "Team" })).toMatchObject({ groupAlerts: false })
    }))
})
