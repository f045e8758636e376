/** The history of a manual component: what people decided, from an override or an incident, is what its uptime bars show. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { ComponentId } from "../../../schema/Ids.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { SnapshotLoader } from "../../../src/operations/page/SnapshotLoader.ts"
import { Ground, newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const Everything = Layer.mergeAll(
  ManageComponents.Default,
  OpenIncident.Default,
  SnapshotLoader.Default,
  UpdateIncident.Default
).pipe(Layer.provideMerge(TestRunner), Layer.provideMerge(Ground))

const scene = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { id: workspaceId } = yield* newWorkspace
  const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: `Acme ${workspaceId.slice(-6)}` }))
  const { id } = yield* Effect.flatMap(
    ManageComponents,
    (components) => components.create(workspaceId, page.id, { name: "Office" })
  )
  const history = (one: ComponentId) =>
    sql<{ readonly state: string; readonly open: boolean }>`
      select state, ended_at is null as open from component_spans where component_id = ${one} order by started_at`
  const shown = Effect.map(
    Effect.flatMap(SnapshotLoader, ({ load }) => load(page.slug)),
    (found) => Option.getOrThrow(found).components[0]
  )
  return { id, workspaceId, shown, history: history(id) }
})

layer(Everything, { excludeTestServices: true, timeout: "60 seconds" })("a manual component", (it) => {
  it.scoped("has the history of its overrides and incidents, which its uptime shows", () =>
    Effect.gen(function*() {
      const { history, id, shown, workspaceId } = yield* scene
      expect(yield* history).toEqual([{ state: "operational", open: true }])
      expect((yield* shown)?.days?.at(-1)).toMatchObject({ status: "operational", downSeconds: 0 })
      const overriding = yield* ManageComponents
      yield* overriding.override(workspaceId, id, { status: "degraded" })
      yield* until(history, (spans) => spans.at(-1)?.state === "degraded")
      yield* overriding.override(workspaceId, id, { status: null })
      yield* until(history, (spans) => spans.at(-1)?.state === "operational")
      const incident = yield* Effect.flatMap(OpenIncident, (opening) =>
        opening.create(workspaceId, {
          title: "Closed",
          message: "The office is closed.",
          components: [{ componentId: id, status: "major_outage" }]
        }))
      yield* until(history, (spans) => spans.at(-1)?.state === "major_outage")
      yield* Effect.flatMap(UpdateIncident, ({ post }) =>
        post(workspaceId, incident.id, { message: "Open again.", status: "resolved" }))
      const spans = yield* until(history, (found) =>
        found.at(-1)?.state === "operational" && found.length === 5)
      expect(spans.map(({ open }) => open)).toEqual([false, false, false, false, true])
      expect((yield* shown)?.days?.at(-1)).toMatchObject({ status: "major_outage" })
    }))

  it.scoped("keeps its history when it is renamed, and ends it when it gets another source", () =>
    Effect.gen(function*() {
      const { history, id, workspaceId } = yield* scene
      const changing = yield* ManageComponents
      yield* changing.update(workspaceId, id, { name: "Desk" })
      expect(yield* history).toEqual([{ state: "operational", open: true }])
      yield* changing.update(workspaceId, id, { push: true })
      expect(yield* history).toEqual([{ state: "operational", open: false }])
      yield* changing.update(workspaceId, id, { manual: true })
      expect((yield* history).filter(({ open }) => open)).toHaveLength(1)
    }))
})
