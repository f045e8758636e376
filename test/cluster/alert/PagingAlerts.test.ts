/** Alerts at paging services on a runner: whatever ends an incident closes each of its alerts, once. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PolicyId } from "../../../schema/Ids.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { AlertedChannels } from "../../../src/store/alert/AlertedChannels.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { incidentCreated } from "../../notify/alert/Receiver.ts"
import { until } from "../../support/time/Until.ts"
import { acknowledge, setUp } from "./AlertedWorkspace.ts"
import { addChannel, escalateTo, idOf, incidentOf, opsgenie, PagedRunner, PagerDuty, settled } from "./PagedWorkspace.ts"

layer(PagedRunner, { excludeTestServices: true })((it) => {
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

    it.scoped("closes the alert of each of the channels with the same settings, though each heard of it otherwise", () =>
      Effect.gen(function*() {
        const { api, settings } = yield* opsgenie
        const { monitor, workspaceId } = yield* setUp("opsgenie", settings)
        yield* escalateTo(workspaceId, [(yield* addChannel(workspaceId, settings)).id])
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        const key = yield* incidentOf(id)
        yield* until(Effect.sync(() => api.history), (asked) => asked.length === 2)
        yield* reach(2, "up")
        yield* until(Effect.sync(() => api.history), (asked) => asked.length > 3)
        yield* settled(workspaceId)
        expect(api.history).toEqual([["create", key], ["create", key], ["close", key], ["close", key]])
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

  it.scoped("an incident that people write closes the alert of a channel that only a policy alerts", () =>
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

  it.scoped("an incident that components open closes the alert of a channel that only a policy alerts", () =>
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

  it.scoped("no channel of a paging service groups alerts", () =>
    Effect.gen(function*() {
      const { settings } = yield* opsgenie
      const { channel, workspaceId } = yield* setUp("opsgenie", settings)
      const { create, update } = yield* ManageChannels
      const refused = { _tag: "validation_failed", details: [{ path: "groupAlerts" }] }
      expect(yield* Effect.flip(update(workspaceId, channel.id, { groupAlerts: true }))).toMatchObject(refused)
      expect(yield* Effect.flip(create(workspaceId, { name: "Pager", type: "opsgenie", ...settings, groupAlerts: true })))
        .toMatchObject(refused)
    }))
})
