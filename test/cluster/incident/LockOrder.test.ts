/** People change an incident while the actor of one of its components does: neither waits for the other in a circle. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { IncidentWriter } from "../../../src/services/incident/IncidentWriter.ts"
import { Alarms } from "../../../src/store/Alarms.ts"
import { Incidents } from "../../../src/store/incident/Incidents.ts"
import { Ground, newWorkspace } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const operations = Layer.mergeAll(
  OpenIncident.Default,
  IncidentWriter.Default,
  ManagePages.Default,
  ManageComponents.Default
)

// Without a runner: the test plays the component's actor.
layer(Layer.provideMerge(operations, Ground), { excludeTestServices: true })((it) => {
  it.effect("a change of an incident waits for a component's actor before it holds the incident", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const alarms = yield* Alarms
      const incidents = yield* Incidents
      const writer = yield* IncidentWriter
      const { id: workspaceId } = yield* newWorkspace
      const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
      const component = yield* Effect.flatMap(ManageComponents, (components) =>
        components.create(workspaceId, page.id, { name: "API" }))
      const { id } = yield* Effect.flatMap(OpenIncident, (opening) =>
        opening.create(workspaceId, {
          title: "Outage",
          message: "Down.",
          components: [{ componentId: component.id, status: "major_outage" }]
        }))
      yield* alarms.arm("component", workspaceId, component.id, DateTime.add(yield* DateTime.now, { hours: 1 }))

      const cleared = yield* Deferred.make<void>()
      const waiting = Effect.map(sql`select 1 from pg_locks where not granted`, (rows) =>
        rows.length)
      const actor = yield* Effect.gen(function*() {
        yield* alarms.arm("component", workspaceId, component.id, null)
        yield* Deferred.succeed(cleared, undefined)
        yield* until(waiting, (count) => count > 0)
        return yield* incidents.lock(workspaceId, id)
      }).pipe(sql.withTransaction, Effect.fork)
      yield* Deferred.await(cleared)
      const change = yield* writer.begin(workspaceId, id, []).pipe(sql.withTransaction, Effect.fork)
      expect([Option.isSome(yield* Fiber.join(actor)), Option.isSome(yield* Fiber.join(change))]).toEqual([true, true])
    }))
})
