/** A push from the component's actor to rows, spans and events, and what happens when pushes stop. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer, Option } from "effect"
import { ComponentEntity, entityId } from "../../../cluster/component/ComponentProtocol.ts"
import type { ComponentInput } from "../../../schema/component/Component.ts"
import type { PushInput } from "../../../schema/component/Push.ts"
import { NotFound } from "../../../schema/Errors.ts"
import { ComponentId } from "../../../schema/Ids.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { TakePush } from "../../../src/operations/component/TakePush.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { Alarms } from "../../../src/store/Alarms.ts"
import { Components } from "../../../src/store/component/Components.ts"
import { ComponentSpans } from "../../../src/store/component/ComponentSpans.ts"
import { ComponentStates } from "../../../src/store/component/ComponentStates.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { PageIncidents } from "../../../src/store/incident/PageIncidents.ts"
import { mint } from "../../../src/store/Mint.ts"
import { Listening } from "../../../src/store/monitor/Listening.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import type { Json } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"

const tokenIn = (pushUrl: string | null) => pushUrl?.split("/").at(-1) ?? ""

const setUp = (input: Partial<ComponentInput> = {}) =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const page = yield* Effect.flatMap(ManagePages, (pages) =>
      pages.create(workspaceId, { name: "Acme", settings: { autoIncidents: false } }))
    const components = yield* ManageComponents
    const stored = yield* Components
    const made = yield* components.create(workspaceId, page.id, { name: "Queue", push: true, ...input })
    const taking = yield* TakePush
    const log = yield* EventLog
    return {
      workspaceId,
      id: made.id,
      made,
      push: (status: PushInput["status"], more: Partial<PushInput> = {}) =>
        taking.take(tokenIn(made.pushUrl), { status, ...more }),
      component: Effect.map(stored.ofPages(workspaceId, [page.id]), ([view]) => view!),
      changes: Effect.map(log.after(workspaceId, "", ["component.status_changed"], 100), (events) =>
        events.map(({ data }) => [data["from"], data["to"]])),
      events: log.after(workspaceId, "", ["component.status_changed"], 100)
    }
  })

/** Simulates a service that has been accepting pushes for an hour. */
const listeningForAnHour = Effect.gen(function*() {
  yield* Effect.flatMap(Listening, (listening) => listening.beat("one"))
  yield* Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update listeners set began_at = now() - interval '1 hour', since = now() - interval '1 hour'`
  )
})

/** Simulates a last push that long ago, with the alarm now due. */
const silentFor = (component: { readonly id: ComponentId; readonly workspaceId: string }, seconds: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      update component_states
      set push = jsonb_set(push, '{arrivedAt}', to_jsonb((push->>'arrivedAt')::float8 - ${seconds * 1000}::float8))
      where component_id = ${component.id} and workspace_id = ${component.workspaceId}`
    yield* sql`update alarms set due_at = now() where kind = 'component' and id = ${component.id}`
    yield* sql`select pg_notify('belltower_alarms', '')`
  })

layer(Layer.provideMerge(TakePush.Default, TestRunner), { excludeTestServices: true })((it) => {
  describe("a push", () => {
    it.effect("is reported once, as a change of the component's shown status", () =>
      Effect.gen(function*() {
        const { changes, component, events, id, push } = yield* setUp({ group: "Core" })
        expect((yield* component).status).toBe("unknown")
        expect(yield* push("operational")).toMatchObject({ ok: true, status: "operational", taken: "counted", awaiting: null })
        yield* push("operational")
        expect(yield* push("major_outage", { message: "Backlog" })).toMatchObject({
          reported: "major_outage",
          status: "operational",
          statusMessage: null,
          awaiting: { reports: 1, confirmations: 2 }
        })
        const confirmed = yield* push("major_outage", { message: "Backlog of 9000" })
        expect(confirmed).toMatchObject({ status: "major_outage", awaiting: null })
        yield* push("major_outage", { message: "Backlog of 9900" })
        yield* push("operational")
        expect(yield* changes).toEqual([
          ["unknown", "operational"],
          ["operational", "major_outage"],
          ["major_outage", "operational"]
        ])
        const reported = (yield* events)[1]?.data["component"]
        const { group } = yield* component
        expect(reported).toEqual({
          id,
          key: "queue",
          name: "Queue",
          description: null,
          group,
          status: "major_outage",
          statusMessage: "Backlog of 9000",
          updatedAt: expect.stringMatching(/Z$/)
        })
      }))

    it.effect("shows on the component with its message, and updates its timestamp", () =>
      Effect.gen(function*() {
        const { component, made, push } = yield* setUp({ confirmations: 1 })
        yield* push("degraded", { message: "  Slow  " })
        const slow = yield* component
        expect(slow).toMatchObject({ status: "degraded", statusMessage: "Slow" })
        expect(DateTime.greaterThan(slow.updatedAt, made.updatedAt)).toBe(true)
        yield* push("degraded", { message: "Slow" })
        expect((yield* component).updatedAt).toEqual(slow.updatedAt)
        yield* push("degraded")
        expect((yield* component).statusMessage).toBeNull()
      }))

    it.effect("sent twice at the same time with one observation time confirms once", () =>
      Effect.gen(function*() {
        const { changes, push } = yield* setUp()
        yield* push("operational")
        const observedAt = yield* DateTime.now
        const receipts = yield* Effect.all(
          Array.from({ length: 5 }, () => push("major_outage", { observedAt })),
          { concurrency: "unbounded" }
        )
        expect(receipts.map(({ taken }) => taken).sort()).toEqual(["counted", "repeated", "repeated", "repeated", "repeated"])
        yield* push("major_outage", { observedAt: DateTime.subtract(observedAt, { seconds: 1 }) })
        expect(yield* changes).toEqual([["unknown", "operational"]])
        yield* push("major_outage", { observedAt, confirmed: true })
        expect((yield* changes).at(-1)).toEqual(["operational", "major_outage"])
      }))

    it.effect("writes spans from the first report of the new status", () =>
      Effect.gen(function*() {
        const { id, push, workspaceId } = yield* setUp({ confirmations: 3 })
        yield* push("operational")
        for (let times = 0; times < 3; times++) yield* push("major_outage")
        yield* push("operational")
        const spans = yield* Effect.flatMap(ComponentSpans, (store) => store.since(workspaceId, [id], DateTime.unsafeMake(0)))
        const lived = spans.get(id) ?? []
        expect(lived.map(({ state }) => state)).toEqual(["operational", "major_outage", "operational"])
        lived.slice(1).forEach((span, index) => expect(span.startedAt).toBe(lived[index]?.endedAt))
        expect(lived.at(-1)?.endedAt).toBeNull()
      }))

    it.effect("for a deleted component, or one that takes no pushes, finds nothing", () =>
      Effect.gen(function*() {
        const { workspaceId } = yield* setUp()
        const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Other" }))
        const manual = yield* Effect.flatMap(ManageComponents, (components) =>
          components.create(workspaceId, page.id, { name: "By hand" }))
        const foreign = yield* setUp()
        const actor = yield* ComponentEntity.client
        const report = { status: "degraded", message: null, confirmed: false, observedAt: null } as const
        for (const id of [manual.id, yield* mint("cmp", ComponentId), foreign.id]) {
          expect(yield* actor(entityId(workspaceId, id)).Push(report)).toBeNull()
        }
        const taking = yield* TakePush
        expect(yield* Effect.flip(taking.take("nobody's", { status: "degraded" }))).toBeInstanceOf(NotFound)
      }))

    it.effect("to an actor that lost its row to another writer reloads the row", () =>
      Effect.gen(function*() {
        const { component, id, push, workspaceId } = yield* setUp()
        const sql = yield* SqlClient.SqlClient
        yield* push("operational")
        const states = yield* ComponentStates
        const row = Option.getOrThrow(yield* states.load(workspaceId, id))
        yield* push("degraded", { confirmed: true })
        const stale = states.commit(row, {
          status: "operational",
          statusMessage: null,
          automatic: "operational",
          pushState: row.component.pushState,
          incidentId: null,
          at: yield* DateTime.now
        })
        expect(yield* sql.withTransaction(stale)).toBe(false)
        expect((yield* component).status).toBe("degraded")
      }))
  })

  describe("a component that fails", () => {
    /** Two pushed components on a page that opens incidents automatically. */
    const twoOnAPage = Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
      const components = yield* ManageComponents
      const taking = yield* TakePush
      const log = yield* EventLog
      const pushed = (name: string) =>
        Effect.map(components.create(workspaceId, page.id, { name, push: true, confirmations: 1 }), ({ id, pushUrl }) => ({
          id,
          push: (status: PushInput["status"]) => taking.take(tokenIn(pushUrl), { status })
        }))
      const recorded = Effect.map(
        log.after(workspaceId, "", ["incident.created", "incident.updated", "incident.resolved"], 100),
        (events): ReadonlyArray<Json> => events.map(({ data, type }) => ({ type, ...data }))
      )
      return { queue: yield* pushed("Queue"), mail: yield* pushed("Mail"), page, recorded, workspaceId }
    })

    it.effect("opens one incident of the page, which other components join and which ends with the last of them", () =>
      Effect.gen(function*() {
        const { mail, page, queue, recorded, workspaceId } = yield* twoOnAPage
        yield* queue.push("degraded")
        expect(yield* recorded).toEqual([])
        yield* queue.push("major_outage")
        yield* mail.push("partial_outage")
        yield* queue.push("operational")
        yield* mail.push("degraded")
        yield* mail.push("operational")
        const all = yield* recorded
        expect(all.map(({ type, update }) => [type, update.body])).toEqual([
          ["incident.created", "We are investigating a problem with Queue."],
          ["incident.updated", "Mail is affected too."],
          ["incident.updated", "Queue has recovered; the incident is still open."],
          ["incident.updated", "Mail is degraded."],
          ["incident.resolved", expect.stringMatching(/^Mail, Queue recovered after /)]
        ])
        expect(new Set(all.map(({ incident }) => incident.id)).size).toBe(1)
        expect(all[0]?.incident).toMatchObject({
          title: "Queue is down",
          impact: "major",
          automatic: true,
          public: true,
          monitorId: null,
          components: [{ componentId: queue.id, status: "major_outage" }]
        })
        expect(all.at(-1)?.incident).toMatchObject({ status: "resolved", resolvedAt: expect.any(String) })
        const shown = yield* Effect.flatMap(
          PageIncidents,
          (incidents) => incidents.since(workspaceId, page.id, DateTime.unsafeMake(0))
        )
        expect(shown.map(({ title }) => title)).toEqual(["Queue is down"])
        yield* queue.push("major_outage")
        expect((yield* recorded).at(-1)?.type).toBe("incident.created")
      }))

    it.effect("at the same moment as others opens one incident with them", () =>
      Effect.gen(function*() {
        const { mail, queue, recorded } = yield* twoOnAPage
        yield* Effect.all([queue.push("major_outage"), mail.push("major_outage")], { concurrency: "unbounded" })
        expect((yield* recorded).map(({ type }) => type)).toEqual(["incident.created", "incident.updated"])
      }))

    it.effect("does not touch an incident that a person has resolved", () =>
      Effect.gen(function*() {
        const { page, queue, recorded } = yield* twoOnAPage
        yield* queue.push("major_outage")
        const sql = yield* SqlClient.SqlClient
        yield* sql`update incidents set resolved_at = now(), status = 'resolved' where page_ids @> array[${page.id}]::text[]`
        yield* queue.push("partial_outage")
        yield* queue.push("operational")
        expect((yield* recorded).map(({ type }) => type)).toEqual(["incident.created"])
        yield* queue.push("major_outage")
        expect((yield* recorded).map(({ type }) => type)).toEqual(["incident.created", "incident.created"])
      }))
  })

  describe("a component that follows a monitor", () => {
    it.effect("reports changes of its own status, by its own rules and not by each monitor's", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
        const manage = yield* ManageMonitors
        const bus = yield* Bus
        const made = (name: string) =>
          Effect.flatMap(
            manage.create(workspaceId, { name, url: "https://shop.test/", failureThreshold: 1 }),
            ({ id }) => monitorRow(workspaceId, id)
          )
        const [one, two, three] = yield* Effect.all([made("one"), made("two"), made("three")])
        yield* Effect.flatMap(ManageComponents, (components) =>
          components.create(workspaceId, page.id, {
            name: "API",
            monitorIds: [one.id, two.id, three.id],
            aggregate: "majority"
          }))
        const log = yield* EventLog
        const changes = Effect.map(log.after(workspaceId, "", ["component.status_changed"], 100), (events) =>
          events.map(({ data }) => data["to"]))
        const slot = Math.floor((yield* Clock.currentTimeMillis) / 60_000)
        const report = (row: typeof one, round: number, outcome: "up" | "down") =>
          bus.report([resultOf(row, slot + round, { outcome, at: (slot + round) * 60_000 })])
        const expectAfter = (expected: ReadonlyArray<string>) =>
          until(changes, (recorded) =>
            JSON.stringify(recorded) === JSON.stringify(expected))
        yield* report(one, 0, "up")
        yield* expectAfter(["operational"])
        yield* Effect.all([report(two, 0, "up"), report(three, 0, "up")])
        yield* report(one, 1, "down")
        yield* until(monitorRow(workspaceId, one.id), ({ state }) => state === "down")
        expect(yield* changes).toEqual(["operational"])
        yield* report(two, 1, "down")
        yield* expectAfter(["operational", "major_outage"])
        yield* Effect.forEach([one, two, three], ({ id }) => manage.remove(workspaceId, id))
        yield* until(changes, (recorded) => recorded.at(-1) === "unknown")
      }))
  })

  describe("the absence of pushes", () => {
    it.effect("beyond the time to live makes the component unknown, and the next push restores it", () =>
      Effect.gen(function*() {
        const { changes, component, id, push, workspaceId } = yield* setUp({ pushTtlSec: 60 })
        yield* listeningForAnHour
        yield* push("operational", { message: "fine" })
        yield* silentFor({ id, workspaceId }, 61)
        yield* until(component, ({ status }) => status === "unknown")
        expect((yield* component).statusMessage).toBeNull()
        expect(yield* changes).toEqual([["unknown", "operational"], ["operational", "unknown"]])
        yield* push("operational")
        expect((yield* changes).at(-1)).toEqual(["unknown", "operational"])
      }))

    it.effect("during a service outage gets another minute", () =>
      Effect.gen(function*() {
        const { component, id, push, workspaceId } = yield* setUp({ pushTtlSec: 60 })
        const sql = yield* SqlClient.SqlClient
        yield* push("operational")
        yield* Effect.flatMap(Listening, (listening) => listening.beat("one"))
        yield* sql`update listeners set began_at = now() - interval '10 seconds', since = now() - interval '10 seconds'`
        yield* silentFor({ id, workspaceId }, 3600)
        const dueIn = Effect.map(
          sql<{ readonly seconds: number }>`
            select extract(epoch from due_at - now())::float8 as seconds from alarms where kind = 'component' and id = ${id}`,
          ([row]) => row?.seconds ?? 0
        )
        // Held for 30 s while the actor is asked; then armed for a minute after the service began to listen.
        yield* until(dueIn, (seconds) => seconds > 35)
        expect(yield* dueIn).toBeLessThanOrEqual(50)
        expect((yield* component).status).toBe("operational")
      }))

    it.effect("has no effect without a time to live or after the component is deleted", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const forever = yield* setUp()
        yield* forever.push("operational")
        const deleted = yield* setUp({ pushTtlSec: 60 })
        yield* deleted.push("operational")
        const armed = (id: string) =>
          Effect.map(sql`select 1 from alarms where kind = 'component' and id = ${id}`, (rows) => rows.length)
        expect([yield* armed(forever.id), yield* armed(deleted.id)]).toEqual([0, 1])
        yield* sql`delete from components where id = ${deleted.id}`
        yield* Effect.flatMap(Alarms, (alarms) =>
          Effect.flatMap(DateTime.now, (now) => alarms.arm("component", deleted.workspaceId, deleted.id, now)))
        yield* until(armed(deleted.id), (count) =>
          count === 0)
      }))
  })
})
