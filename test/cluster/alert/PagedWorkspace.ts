/** A runner beside local paging services, and workspaces whose channels send to them. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import type { ChannelInput } from "../../../schema/alert/Channel.ts"
import { type ChannelId, IncidentId, type WorkspaceId } from "../../../schema/Ids.ts"
import { ChannelAddresses, publicAddresses } from "../../../src/notify/alert/ChannelAddresses.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { ManageDeliveries } from "../../../src/operations/alert/ManageDeliveries.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { alertApi, eventsApi } from "../../notify/alert/PagingServices.ts"
import { receiver } from "../../notify/alert/Receiver.ts"
import { TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

/** PagerDuty, which all workspaces of the file share: its address is a setting of the deployment. */
export class PagerDuty extends Context.Tag("PagerDuty")<PagerDuty, ReturnType<typeof eventsApi>>() {}

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
export const opsgenie = Effect.gen(function*() {
  const api = alertApi()
  const { url } = yield* receiver(api.respond)
  return { api, settings: { token: "k3y", url: new URL(url).origin } }
})

export const addChannel = (workspaceId: WorkspaceId, input: Partial<ChannelInput>) =>
  Effect.flatMap(
    ManageChannels,
    ({ create }) => create(workspaceId, { name: "Pager", type: "opsgenie", isDefault: false, ...input })
  )

/** Pages the channels as soon as an incident opens. */
export const escalateTo = (workspaceId: WorkspaceId, channelIds: ReadonlyArray<ChannelId>) =>
  Effect.flatMap(ManagePolicies, ({ create }) =>
    create(workspaceId, {
      name: "Platform",
      levels: [{ afterMinutes: 0, targets: channelIds.map((id) => ({ type: "channel" as const, id })) }]
    }))

/** Waits until nothing of a workspace is on its way. */
export const settled = (workspaceId: WorkspaceId) =>
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

export const incidentOf = (monitorId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly id: string }>`select id from incidents where monitor_id = ${monitorId} order by id desc limit 1`,
      ([row]) => `belltower incident ${row?.id}`
    ))

export const idOf = (key: string) => IncidentId.make(key.replace("belltower incident ", ""))

export const PagedRunner = Layer.provideMerge(operations, Layer.provideMerge(TestRunner, services))
