/** Alerts at paging services that are away, in quiet hours and of disabled channels: nothing late opens or closes the wrong alert. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryId, type WorkspaceId } from "../../../schema/Ids.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { ManageDeliveries } from "../../../src/operations/alert/ManageDeliveries.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { until } from "../../support/time/Until.ts"
import { setUp } from "./AlertedWorkspace.ts"
import { addChannel, escalateTo, incidentOf, opsgenie, PagedRunner, settled } from "./PagedWorkspace.ts"

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

layer(PagedRunner, { excludeTestServices: true })((it) => {
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
        // The same service by another channel, which closes its alert, too.
        yield* escalateTo(workspaceId, [(yield* addChannel(workspaceId, settings)).id])
        api.isAway = true
        const { id, reach } = yield* monitor("Shop")
        yield* reach(1, "down")
        yield* failed(workspaceId, 2)
        api.isAway = false
        yield* reach(2, "up")
        yield* until(Effect.sync(() => api.history), (asked) => asked.length > 1)
        yield* settled(workspaceId)
        const closing = Array(2).fill(["close", yield* incidentOf(id)])
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
})
