/** Outages that a restored database shows: nobody is paged about it before a check has said so again. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { randomBytes } from "node:crypto"
import { makeReviewKeptBack } from "../../../cluster/alert/KeptBackAlerts.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { ChannelId, EventId, type IncidentId, MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { settleNew } from "../../../src/domain/monitor/settings/MonitorSettings.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { makeAlertingSteps } from "../../../src/services/incident/AlertingSteps.ts"
import { Incidents } from "../../../src/store/incident/Incidents.ts"
import { OutagesInMaintenance } from "../../../src/store/incident/OutagesInMaintenance.ts"
import { Monitors } from "../../../src/store/monitor/Monitors.ts"
import { Ground, newWorkspace } from "../../support/program/TestRunner.ts"

const site: MonitorInput = { name: "Shop", url: "https://shop.test/" }
const job: MonitorInput = { name: "Job", kind: "heartbeat", periodSec: 1800, graceSec: 60 }

/** A monitor that is down, with an incident that a policy pages people about. */
const setUp = (input: MonitorInput) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const monitors = yield* Monitors
    const { id: workspaceId } = yield* newWorkspace
    const channel = yield* Effect.flatMap(ManageChannels, ({ create }) =>
      create(workspaceId, { name: "Team", type: "webhook", url: "http://127.0.0.1:9/hook" }))
    yield* Effect.flatMap(ManagePolicies, ({ create }) =>
      create(workspaceId, {
        name: "Platform",
        levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: ChannelId.make(channel.id) }] }]
      }))
    const id = MonitorId.make(makeId("mon", Date.now(), randomBytes(10)))
    const settings = yield* settleNew(input, { channelIds: [], regions: [RegionId.make("main")] })
    yield* monitors.insert(workspaceId, id, settings)
    yield* sql`update monitor_states set state = 'down' where monitor_id = ${id}`
    const incident = yield* Effect.flatMap(OpenIncident, ({ create }) =>
      create(workspaceId, { title: "Shop is down", message: "It is." }))
    yield* sql`update incidents set monitor_id = ${id}, automatic = true where id = ${incident.id}`
    return { sql, workspaceId, id, incidentId: incident.id }
  })

/** When the database was restored, in minutes from now. */
const restoredIn = (minutes: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      insert into restores (restored_to, restored_at, not_sent) values (now(), now() + make_interval(mins => ${minutes}::int), '{}')
      on conflict (only_row) do update set restored_at = excluded.restored_at`)

/** The last decided round of a monitor, in minutes from now, and how many good ones it ended. */
const lastRound = (id: MonitorId, minutes: number, successes: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      update monitor_states set machine = machine || jsonb_build_object('successes', ${successes}::int, 'lastRoundAt',
        round(extract(epoch from now() + make_interval(mins => ${minutes}::int)) * 1000))
      where monitor_id = ${id}`)

/** How many pages an incident makes so many minutes from now. Its first step stays due. */
const pagesIn = (workspaceId: WorkspaceId, id: IncidentId, minutes: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const incidents = yield* Incidents
    const take = yield* makeAlertingSteps
    const at = DateTime.add(yield* DateTime.now, { minutes })
    const { drafts } = yield* Effect.flatMap(
      incidents.lock(workspaceId, id),
      (locked) => take(workspaceId, Option.getOrThrow(locked), at)
    ).pipe(
      Effect.zipLeft(sql`update incident_alerting set next_at = now(), next_level = 1, next_round = 1 where incident_id = ${id}`),
      sql.withTransaction
    )
    return drafts.filter(({ type }) => type === "incident.escalated").length
  })

const operations = Layer.mergeAll(
  OpenIncident.Default,
  ManagePolicies.Default,
  ManageChannels.Default,
  OutagesInMaintenance.Default
)

layer(Layer.provideMerge(operations, Ground), { excludeTestServices: true })("an outage that a restored database shows", (it) => {
  it.effect("pages nobody before a round of checks has failed again, however late that is", () =>
    Effect.gen(function*() {
      const { id, incidentId, workspaceId } = yield* setUp(site)
      yield* restoredIn(5)
      yield* lastRound(id, 0, 0)
      expect(yield* pagesIn(workspaceId, incidentId, 600)).toBe(0)
      // The first of the rounds that it needs to recover.
      yield* lastRound(id, 10, 1)
      expect(yield* pagesIn(workspaceId, incidentId, 600)).toBe(0)
      yield* lastRound(id, 11, 0)
      expect(yield* pagesIn(workspaceId, incidentId, 600)).toBe(1)
    }))

  it.effect("sends no alert that waited for its parent before that", () =>
    Effect.gen(function*() {
      const { id, sql, workspaceId } = yield* setUp(site)
      const event = EventId.make(makeId("evt", Date.now(), randomBytes(10)))
      yield* sql`
        insert into events (workspace_id, id, type, at, data, fanned_out)
        values (${workspaceId}, ${event}, 'monitor.down', now(), '{}', true)`
      yield* sql`
        insert into dependent_troubles (monitor_id, workspace_id, told, waiting_event_id, due_at)
        values (${id}, ${workspaceId}, false, ${event}, now())`
      const isSentIn = Effect.fnUntraced(function*(minutes: number) {
        const reviewSome = yield* makeReviewKeptBack
        yield* sql.withTransaction(reviewSome(DateTime.add(yield* DateTime.now, { minutes }), [], () => {}))
        return (yield* sql`select from events where id = ${event} and not fanned_out`).length === 1
      })
      yield* restoredIn(5)
      yield* lastRound(id, 0, 0)
      expect(yield* isSentIn(600)).toBe(false)
      yield* lastRound(id, 10, 0)
      expect(yield* isSentIn(1200)).toBe(true)
    }))

  it.effect("gives a job its time from the start of the processes on, and people ten minutes about other incidents", () =>
    Effect.gen(function*() {
      const { incidentId, sql, workspaceId } = yield* setUp(job)
      yield* restoredIn(5)
      // No process runs.
      expect(yield* pagesIn(workspaceId, incidentId, 600)).toBe(0)
      yield* sql`
        insert into listeners (id, began_at, since, beat_at)
        values ('one', now() + interval '60 minutes', now() + interval '60 minutes', now() + interval '600 minutes')`
      expect(yield* pagesIn(workspaceId, incidentId, 60 + 30)).toBe(0)
      expect(yield* pagesIn(workspaceId, incidentId, 60 + 32)).toBe(1)
      yield* sql`update incidents set monitor_id = null where id = ${incidentId}`
      expect(yield* pagesIn(workspaceId, incidentId, 60 + 9)).toBe(0)
      expect(yield* pagesIn(workspaceId, incidentId, 60 + 11)).toBe(1)
    }))

  it.effect("pages immediately if it began after the restore", () =>
    Effect.gen(function*() {
      yield* restoredIn(-5)
      const { incidentId, workspaceId } = yield* setUp(site)
      expect(yield* pagesIn(workspaceId, incidentId, 0)).toBe(1)
    }))
})
