/** Maintenance windows on a runner: they start and complete by their alarms, and people can be earlier. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import type { IncidentId } from "../../../schema/Ids.ts"
import type { MaintenanceInput } from "../../../schema/incident/IncidentInput.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ReadIncidents } from "../../../src/operations/incident/ReadIncidents.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { Components } from "../../../src/store/component/Components.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const operations = Layer.mergeAll(OpenIncident.Default, UpdateIncident.Default, ReadIncidents.Default)

/** A window of a component, from and to so many minutes from now. */
const planned = (from: number, to: number, more: Partial<MaintenanceInput> = {}) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
    const component = yield* Effect.flatMap(ManageComponents, (components) =>
      components.create(workspaceId, page.id, { name: "API" }))
    const now = yield* Effect.flatMap(DatabaseClock, (clock) =>
      clock.now)
    const { id } = yield* Effect.flatMap(OpenIncident, (opening) =>
      opening.schedule(workspaceId, {
        title: "Upgrade",
        message: "We upgrade the database.",
        scheduledStart: DateTime.add(now, { minutes: from }),
        scheduledEnd: DateTime.add(now, { minutes: to }),
        pageIds: [page.id],
        componentIds: [component.id],
        ...more
      }))
    const reading = yield* ReadIncidents
    const stored = yield* Components
    const log = yield* EventLog
    const updating = yield* UpdateIncident
    return {
      id,
      workspaceId,
      pageId: page.id,
      record: Effect.orDie(reading.get(workspaceId, id)),
      /** The windows of the workspace, oldest first. */
      windows: Effect.map(
        reading.list(workspaceId, { page: null, open: false, kind: null, monitorId: null, before: null, limit: 10 }),
        ({ data }) => [...data].reverse()
      ),
      shown: Effect.map(Effect.orDie(stored.ofPages(workspaceId, [page.id])), ([one]) => one?.status),
      post: (input: Parameters<typeof updating.post>[2]) => updating.post(workspaceId, id, input),
      events: Effect.map(
        log.after(workspaceId, "", [
          "maintenance.scheduled",
          "maintenance.started",
          "maintenance.updated",
          "maintenance.completed"
        ], 100),
        (found) => found.map(({ type }) => type)
      ),
      changes: Effect.map(log.after(workspaceId, "", ["component.status_changed"], 100), (found) =>
        found.map(({ data }) =>
          data["to"]
        ))
    }
  })

/** Moves a window and its alarm into the past, as if no process had run for that long. */
const sleptThrough = (id: IncidentId, minutes: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ago = `${minutes} minutes`
    yield* sql`
      update incidents set scheduled_start = scheduled_start - ${ago}::interval,
        scheduled_end = scheduled_end - ${ago}::interval, started_at = started_at - ${ago}::interval
      where id = ${id}`
    yield* sql`update alarms set due_at = due_at - ${ago}::interval where kind = 'incident' and id = ${id}`
    yield* sql`select pg_notify('belltower_alarms', '')`
  })

const alarmsOf = (id: IncidentId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.map(sql`select 1 from alarms where kind = 'incident' and id = ${id}`, (rows) => rows.length)
  )

layer(Layer.provideMerge(operations, TestRunner), { excludeTestServices: true })((it) => {
  describe("a maintenance window", () => {
    it.effect("starts and completes at its times, and its component shows it meanwhile", () =>
      Effect.gen(function*() {
        const { changes, events, id, record, shown } = yield* planned(10, 70)
        expect([yield* shown, (yield* record).status, yield* alarmsOf(id)]).toEqual(["operational", "scheduled", 1])
        yield* sleptThrough(id, 30)
        yield* until(changes, (to) => to.length === 1)
        expect([yield* shown, (yield* record).status]).toEqual(["maintenance", "in_progress"])
        yield* sleptThrough(id, 60)
        yield* until(changes, (to) => to.length === 2)
        expect(yield* events).toEqual(["maintenance.scheduled", "maintenance.started", "maintenance.completed"])
        expect(yield* changes).toEqual(["maintenance", "operational"])
        const { resolvedAt, scheduledEnd, status, updates } = yield* record
        // The test moved the window to before its announcement.
        expect([status, DateTime.greaterThan(resolvedAt ?? scheduledEnd!, scheduledEnd!)]).toEqual(["completed", true])
        expect(updates.map(({ body }) => body)).toEqual([
          "We upgrade the database.",
          "The maintenance has started.",
          "The maintenance is complete."
        ])
        expect(yield* alarmsOf(id)).toBe(0)
      }))

    it.effect("that began and ended while no process ran has both events, in order", () =>
      Effect.gen(function*() {
        const { events, id, record } = yield* planned(10, 20)
        yield* sleptThrough(id, 600)
        yield* until(events, (types) => types.includes("maintenance.completed"))
        expect(yield* events).toEqual(["maintenance.scheduled", "maintenance.started", "maintenance.completed"])
        expect((yield* record).updates.map(({ status }) => status)).toEqual(["scheduled", "in_progress", "completed"])
      }))

    it.effect("whose start has passed starts immediately", () =>
      Effect.gen(function*() {
        const { events } = yield* planned(-5, 60)
        yield* until(events, (types) => types.includes("maintenance.started"))
      }))

    it.effect("that a person starts early completes by itself, and one that a person completes never starts", () =>
      Effect.gen(function*() {
        const early = yield* planned(10, 70)
        yield* early.post({ message: "We begin.", status: "in_progress" })
        yield* until(early.shown, (status) => status === "maintenance")
        yield* early.post({ message: "Half done." })
        yield* sleptThrough(early.id, 90)
        yield* until(early.events, (types) => types.includes("maintenance.completed"))
        expect(yield* early.events).toEqual([
          "maintenance.scheduled",
          "maintenance.started",
          "maintenance.updated",
          "maintenance.completed"
        ])
        const cancelled = yield* planned(10, 70)
        const { resolvedAt, startedAt } = yield* cancelled.post({ message: "Not today.", status: "completed" })
        expect(startedAt).toEqual(resolvedAt)
        expect(yield* alarmsOf(cancelled.id)).toBe(0)
        expect(yield* cancelled.events).toEqual(["maintenance.scheduled", "maintenance.completed"])
      }))

    it.effect("of a page without components is of all its components, also those that it gets while it runs", () =>
      Effect.gen(function*() {
        const { changes, id, pageId, record, shown, workspaceId } = yield* planned(-5, 60, { componentIds: [] })
        yield* until(changes, (to) => to.length === 1)
        expect([yield* shown, (yield* record).components]).toEqual(["maintenance", []])
        const { create } = yield* ManageComponents
        expect((yield* create(workspaceId, pageId, { name: "Mail" })).status).toBe("maintenance")
        yield* sleptThrough(id, 90)
        yield* until(changes, (to) => to.length === 3)
        expect((yield* changes).toSorted()).toEqual(["maintenance", "operational", "operational"])
      }))

    it.effect("of which subscribers are not notified tells them of neither its start nor its end, nor of the next one", () =>
      Effect.gen(function*() {
        const { events, id, pageId, record, shown, windows, workspaceId } = yield* planned(10, 70, {
          notify: false,
          recurrence: { rule: "FREQ=WEEKLY" }
        })
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into subscribers (id, workspace_id, page_id, type, status, language, target_hash, sealed, manage_hash, created_at,
                                   updated_at)
          values (${`sub_${workspaceId}`}, ${workspaceId}, ${pageId}, 'webhook', 'active', 'en', '', '', '', now(), now())`
        const newsOf = sql<{ readonly type: string }>`
          select e.type from broadcasts b join events e on e.workspace_id = b.workspace_id and e.id = b.event_id
          where b.workspace_id = ${workspaceId} order by e.id`
        yield* sleptThrough(id, 30)
        yield* until(shown, (status) => status === "maintenance")
        yield* sleptThrough(id, 60)
        yield* until(shown, (status) => status === "operational")
        yield* until(events, (types) => types.includes("maintenance.completed"))
        const [, next] = yield* windows
        const { post } = yield* UpdateIncident
        yield* post(workspaceId, next!.id, { message: "We begin.", status: "in_progress" })
        yield* until(shown, (status) => status === "maintenance")
        yield* post(workspaceId, next!.id, { message: "It takes longer.", notify: true })
        yield* until(newsOf, (all) => all.length > 0)
        yield* until(
          sql`select from events where workspace_id = ${workspaceId} and not fanned_out`,
          (rows) => rows.length === 0
        )
        expect((yield* newsOf).map(({ type }) => type)).toEqual(["maintenance.updated"])
        expect((yield* record).notify).toBe(false)
      }))

    it.effect("must end after it begins, and in the future", () =>
      Effect.gen(function*() {
        for (const [from, to] of [[10, 10], [10, 5], [-20, -10]] as const) {
          const refused = yield* Effect.flip(planned(from, to))
          expect(refused).toMatchObject({ _tag: "validation_failed", details: [{ path: "scheduledEnd" }] })
        }
      }))

    it.effect("reminds of itself before it begins, once for each reminder, and not of what has passed", () =>
      Effect.gen(function*() {
        const { events, id, record } = yield* planned(90, 120, { remindMinutes: [1440, 60, 10] })
        // The day before has passed already, so nobody hears "in 1440 minutes" now.
        yield* until(record, ({ updates }) => updates.length === 2)
        yield* sleptThrough(id, 85)
        yield* until(record, ({ updates }) => updates.length === 3)
        expect((yield* record).updates.map(({ body }) => body)).toEqual([
          "We upgrade the database.",
          "This maintenance begins in 1 hour 30 minutes.",
          "This maintenance begins in 5 minutes."
        ])
        expect((yield* record).remindMinutes).toEqual([1440, 60, 10])
        yield* sleptThrough(id, 10)
        yield* until(events, (types) => types.includes("maintenance.started"))
        expect(yield* events).toEqual([
          "maintenance.scheduled",
          "maintenance.updated",
          "maintenance.updated",
          "maintenance.started"
        ])
      }))

    it.effect("of a series schedules the next one when it ends, however it ends, until the series is ended", () =>
      Effect.gen(function*() {
        const first = yield* planned(10, 70, { recurrence: { rule: "FREQ=WEEKLY", timezone: "Europe/Berlin" } })
        yield* first.post({ message: "Done early.", status: "completed" })
        const [, second] = yield* first.windows
        expect(second).toMatchObject({ title: "Upgrade", status: "scheduled", kind: "maintenance" })
        const { recurrence, scheduledEnd, scheduledStart } = yield* first.record
        expect(recurrence).toEqual({ rule: "FREQ=WEEKLY", timezone: "Europe/Berlin" })
        const week = DateTime.distance(scheduledStart!, second!.scheduledStart!)
        // A change of the clocks may lie between them.
        expect(Math.round(week / 86_400_000)).toBe(7)
        expect(DateTime.distance(second!.scheduledStart!, second!.scheduledEnd!)).toBe(
          DateTime.distance(scheduledStart!, scheduledEnd!)
        )
        const updating = yield* UpdateIncident
        yield* updating.post(first.workspaceId, second!.id, { message: "The last one.", status: "completed", endSeries: true })
        expect(yield* first.windows).toHaveLength(2)
      }))

    it.effect("of a series covers again what the window before has handed back", () =>
      Effect.gen(function*() {
        const first = yield* planned(-5, 70, { recurrence: { rule: "FREQ=WEEKLY" } })
        yield* until(first.events, (types) => types.includes("maintenance.started"))
        const { components: [listed] } = yield* first.record
        yield* first.post({
          message: "The API is back.",
          components: [{ componentId: listed!.componentId, status: "operational" }]
        })
        yield* first.post({ message: "Done.", status: "completed" })
        const [ended, next] = yield* first.windows
        expect([ended?.components, next?.components].flat()).toMatchObject([{ status: "operational" }, { status: "maintenance" }])
      }))

    it.effect("of a series leaves out the windows that passed while no process ran", () =>
      Effect.gen(function*() {
        const { events, id, windows, workspaceId } = yield* planned(10, 20, { recurrence: { rule: "FREQ=DAILY" } })
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          update maintenance_plans set first_start = first_start - interval '10 days' where workspace_id = ${workspaceId}`
        yield* sleptThrough(id, 14_400)
        yield* until(events, (types) => types.includes("maintenance.completed"))
        const [, next] = yield* windows
        const now = yield* Effect.flatMap(DatabaseClock, (clock) => clock.now)
        expect(DateTime.greaterThan(next!.scheduledEnd!, now)).toBe(true)
        expect(yield* windows).toHaveLength(2)
      }))

    it.effect("of a series must be over before the next one begins, by a rule that can be followed", () =>
      Effect.gen(function*() {
        for (const rule of ["FREQ=DAILY", "FREQ=YEARLY", "FREQ=WEEKLY;BYHOUR=3", "often"]) {
          const refused = yield* Effect.flip(planned(10, 1600, { recurrence: { rule } }))
          expect(refused).toMatchObject({ _tag: "validation_failed", details: [{ path: "recurrence.rule" }] })
        }
        const nowhere = yield* Effect.flip(planned(10, 20, { recurrence: { rule: "FREQ=DAILY", timezone: "Moon/Base" } }))
        expect(nowhere).toMatchObject({ details: [{ path: "recurrence.timezone" }] })
      }))

    it.effect("that is deleted loses its alarm when it is due", () =>
      Effect.gen(function*() {
        const { id } = yield* planned(10, 70)
        const sql = yield* SqlClient.SqlClient
        yield* sleptThrough(id, 20).pipe(Effect.zipRight(sql`delete from incidents where id = ${id}`), sql.withTransaction)
        yield* until(alarmsOf(id), (count) => count === 0)
      }))
  })
})
