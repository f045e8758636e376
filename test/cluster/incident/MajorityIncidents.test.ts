/** Automatic incidents of a component that shows the majority of its monitors, and people who change such incidents. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Bus } from "../../../src/bus/Bus.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { TakePush } from "../../../src/operations/component/TakePush.ts"
import { ReadIncidents } from "../../../src/operations/incident/ReadIncidents.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import type { Json } from "../../support/program/TestServer.ts"
import { until } from "../../support/time/Until.ts"

const operations = Layer.mergeAll(TakePush.Default, UpdateIncident.Default, ReadIncidents.Default)

const lifeOf = ["incident.created", "incident.updated", "incident.resolved"] as const

const recordedIn = (workspaceId: Parameters<EventLog["after"]>[0]) =>
  Effect.flatMap(
    EventLog,
    (log) =>
      Effect.map(log.after(workspaceId, "", [...lifeOf], 200), (events): ReadonlyArray<Json> =>
        events.map(({ data, type }) => ({ type, ...data })))
  )

/** Three monitors of one component, and their reports. */
const threeMonitors = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
  const manage = yield* ManageMonitors
  const bus = yield* Bus
  const rows = yield* Effect.forEach(["one", "two", "three"], (name) =>
    Effect.flatMap(
      manage.create(workspaceId, { name, url: "https://shop.test/", failureThreshold: 1 }),
      ({ id }) => monitorRow(workspaceId, id)
    ))
  const component = yield* Effect.flatMap(
    ManageComponents,
    (components) =>
      components.create(workspaceId, page.id, { name: "API", monitorIds: rows.map(({ id }) => id), aggregate: "majority" })
  )
  const slot = Math.floor((yield* Clock.currentTimeMillis) / 60_000)
  const report = (index: number, round: number, outcome: "up" | "down") =>
    Effect.gen(function*() {
      const row = rows[index]!
      yield* bus.report([resultOf(row, slot + round, { outcome, at: (slot + round) * 60_000 })])
      yield* until(monitorRow(workspaceId, row.id), ({ state }) => state === outcome)
    })
  yield* Effect.forEach([0, 1, 2], (index) => report(index, 0, "up"), { concurrency: "unbounded" })
  const publicOnes = Effect.map(recordedIn(workspaceId), (all) => all.filter(({ incident }) => incident.public))
  return { component, publicOnes, recorded: recordedIn(workspaceId), report, workspaceId }
})

layer(Layer.provideMerge(operations, TestRunner), { excludeTestServices: true })((it) => {
  describe("a component by majority", () => {
    it.effect(
      "has no public incident for a minority, and one of its own while most of its monitors are down",
      () =>
        Effect.gen(function*() {
          const { component, publicOnes, recorded, report } = yield* threeMonitors
          yield* report(0, 1, "down")
          yield* until(recorded, (all) => all.length === 1)
          expect((yield* recorded)[0].incident).toMatchObject({ public: false, title: "one is down", components: [] })
          yield* report(1, 1, "down")
          yield* until(publicOnes, (all) => all.length === 1)
          expect((yield* publicOnes)[0].incident).toMatchObject({
            title: "API is down",
            monitorId: null,
            components: [{ componentId: component.id, status: "major_outage" }]
          })
          yield* report(2, 1, "down")
          yield* report(0, 2, "up")
          yield* report(1, 2, "up")
          const ended = yield* until(publicOnes, (all) => all.length === 2)
          expect(ended.map(({ type }) => type)).toEqual(["incident.created", "incident.resolved"])
          expect(ended[1].update.body).toMatch(/^API recovered after /)
          yield* report(2, 2, "up")
          // Three internal incidents, each opened and resolved.
          yield* until(recorded, (all) => all.length === 8)
          expect(yield* publicOnes).toHaveLength(2)
        })
    )

    it.effect("follows its monitors again once their late checks have arrived, without another change of their states", () =>
      Effect.gen(function*() {
        const { component, publicOnes, report, workspaceId } = yield* threeMonitors
        const sql = yield* SqlClient.SqlClient
        yield* report(0, 1, "down")
        yield* report(1, 1, "down")
        yield* until(publicOnes, (all) => all.length === 1)
        const shown = Effect.map(
          sql<{ readonly status: string }>`select status from component_states where component_id = ${component.id}`,
          ([row]) => row?.status
        )
        yield* until(shown, (status) => status === "major_outage")
        /** As its monitors' rows are while checks wait somewhere. */
        const heard = (state: "up" | "down", secondsAgo: number) =>
          sql`update monitor_states set state = ${state}, machine = jsonb_set(machine, '{lastRoundAt}',
            to_jsonb(extract(epoch from now() - make_interval(secs => ${secondsAgo})) * 1000)) where workspace_id = ${workspaceId}`
        const dueAt = Effect.map(
          sql<{ readonly isLater: boolean }>`
            select due_at > now() + interval '1 second' as "isLater" from alarms where kind = 'component' and id = ${component.id}`,
          ([row]) => row?.isLater
        )
        const wakes = Effect.zipRight(
          sql`insert into alarms (kind, id, workspace_id, due_at) values ('component', ${component.id}, ${workspaceId}, now())
            on conflict (kind, id) do update set due_at = now()`,
          sql`select pg_notify('belltower_alarms', '')`
        )
        const stop = (state: "up" | "down") =>
          heard(state, 600).pipe(
            Effect.zipRight(wakes),
            Effect.zipRight(until(Effect.all([shown, dueAt]), ([status, isLater]) => status === "unknown" && isLater === true))
          )
        // Brings forward when the actor looks by itself.
        const arrive = (state: "up" | "down") =>
          heard(state, 1).pipe(
            Effect.zipRight(sql`update alarms set due_at = now() where kind = 'component' and id = ${component.id}`),
            Effect.zipRight(sql`select pg_notify('belltower_alarms', '')`)
          )
        yield* stop("down")
        yield* arrive("down")
        yield* until(Effect.all([shown, dueAt]), ([status, isLater]) => status === "major_outage" && isLater === undefined)
        yield* stop("up")
        expect((yield* publicOnes).map(({ type }) => type)).toEqual(["incident.created"])
        yield* arrive("up")
        yield* until(shown, (status) => status === "operational")
        expect((yield* publicOnes).map(({ type }) => type)).toEqual(["incident.created", "incident.resolved"])
      }))
  })

  describe("an automatic incident", () => {
    it.effect("takes the status that a person sets, until the component itself changes", () =>
      Effect.gen(function*() {
        const { component, publicOnes, report, workspaceId } = yield* threeMonitors
        yield* report(0, 1, "down")
        yield* report(1, 1, "down")
        const [opened] = yield* until(publicOnes, (all) => all.length === 1)
        const updating = yield* UpdateIncident
        const changes = Effect.flatMap(EventLog, (log) =>
          Effect.map(log.after(workspaceId, "", ["component.status_changed"], 200), (events) =>
            events.map(({ data }) =>
              data["to"]
            )))
        yield* until(changes, (to) => to.at(-1) === "major_outage")
        yield* updating.post(workspaceId, opened.incident.id, {
          message: "Only uploads fail.",
          components: [{ componentId: component.id, status: "degraded" }]
        })
        yield* until(changes, (to) => to.at(-1) === "degraded")
        yield* report(0, 2, "up")
        yield* until(changes, (to) => to.at(-1) === "operational")
        expect((yield* publicOnes).map(({ type }) => type)).toEqual([
          "incident.created",
          "incident.updated",
          "incident.resolved"
        ])
      }))

    it.effect("is changed by people and by its component at the same time without a failure", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
        const taking = yield* TakePush
        const updating = yield* UpdateIncident
        const components = yield* ManageComponents
        const made = yield* Effect.forEach(["Queue", "Mail"], (name) =>
          components.create(workspaceId, page.id, { name, push: true, confirmations: 1, pushTtlSec: 60 }))
        const push = (index: number, status: "operational" | "degraded" | "major_outage") =>
          taking.take(made[index]?.pushUrl?.split("/").at(-1) ?? "", { status })
        yield* push(0, "major_outage")
        yield* push(1, "major_outage")
        const [{ incident }] = yield* recordedIn(workspaceId)
        const listed = made.map(({ id }) => ({ componentId: id, status: "partial_outage" as const }))
        for (let round = 0; round < 10; round++) {
          yield* Effect.all([
            updating.post(workspaceId, incident.id, { message: `Round ${round}`, components: listed }),
            push(0, round % 2 === 0 ? "degraded" : "major_outage"),
            push(1, round % 2 === 0 ? "degraded" : "major_outage"),
            updating.post(workspaceId, incident.id, { message: "Note", components: [...listed].reverse() })
          ], { concurrency: "unbounded" })
        }
        yield* Effect.all([updating.resolve(workspaceId, incident.id, {}), push(0, "operational"), push(1, "operational")], {
          concurrency: "unbounded"
        })
        const all = yield* recordedIn(workspaceId)
        expect(all.filter(({ type }) =>
          type === "incident.resolved"
        )).toHaveLength(1)
        expect(new Set(all.map((one) => one.incident.id)).size).toBe(1)
      }))
  })
})
