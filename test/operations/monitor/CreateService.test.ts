/** A service created in one call, on a real runner. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ServiceInput } from "../../../schema/api/Agents.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { CreateService } from "../../../src/operations/monitor/CreateService.ts"
import { ReadMonitors } from "../../../src/operations/monitor/ReadMonitors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { newWorkspace, TestRunner } from "../../support/TestRunner.ts"

const ground = CreateService.Default.pipe(Layer.provideMerge(TestRunner))

const createService = (workspaceId: WorkspaceId, input: typeof ServiceInput.Type) =>
  Effect.flatMap(CreateService, (services) => services.create(workspaceId, input))

const createPage = (workspaceId: WorkspaceId, name: string) =>
  Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name }))

layer(ground, { excludeTestServices: true, timeout: "30 seconds" })("a service", (it) => {
  const url = "http://127.0.0.1:9/"

  it.scoped("is added to the page with the given id, slug or name, and to a new page for any other name", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const page = yield* createPage(id, "Acme Cloud")
      for (const statusPage of [page.id, page.slug, "ACME cloud", " Acme Cloud "]) {
        expect((yield* createService(id, { name: "API", url, paused: true, statusPage })).page?.id).toBe(page.id)
      }
      expect((yield* createService(id, { name: "API", url, paused: true, statusPage: "pg_dump jobs" })).page?.name).toBe(
        "pg_dump jobs"
      )
    }))

  it.scoped("is not created at all for an unknown page id, be it mistyped or another workspace's", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const theirs = yield* createPage((yield* newWorkspace).id, "Theirs")
      const answer = yield* Effect.either(createService(id, { name: "API", url, paused: true, statusPage: theirs.id }))
      expect(answer).toMatchObject({
        _tag: "Left",
        left: { _tag: "not_found", message: `No status page ${theirs.id} in this workspace` }
      })
      const viewer = { workspaceId: id, scopes: ["read"] as const, operations: null }
      expect(yield* Effect.flatMap(ManagePages, (pages) => pages.list(viewer))).toEqual([])
      expect(yield* Effect.flatMap(ReadMonitors, (reading) => reading.list(viewer, { state: null, tag: null, after: "", limit: 10 }))).toEqual({ data: [], next: null })
    }))

  it.scoped("with a long name gives its component as much of it as fits, in whole characters", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const name = `${"a".repeat(99)}🚀 in the sky`
      const { component } = yield* createService(id, { name, url, paused: true, statusPage: "Acme" })
      expect(component?.name).toBe("a".repeat(99))
    }))
})
