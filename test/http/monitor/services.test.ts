/** A service in one call, as the handler makes it on a real runner. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createService } from "../../../src/http/monitor/Services.ts"
import { createPage, listPages } from "../../../src/http/page/Pages.ts"
import { BaseUrl } from "../../../src/links/BaseUrl.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { newWorkspace, TestRunner } from "../../support/TestRunner.ts"

const ground = Layer.merge(TestRunner, Layer.succeed(BaseUrl, "https://belltower.test"))

layer(ground, { excludeTestServices: true, timeout: "30 seconds" })("a service", (it) => {
  const url = "http://127.0.0.1:9/"

  it.scoped("comes onto the page that is named by id, slug or name, and onto a new one by any other name", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const page = yield* createPage(id, { name: "Acme Cloud" })
      for (const statusPage of [page.id, page.slug, "ACME cloud", " Acme Cloud "]) {
        expect((yield* createService(id, { name: "API", url, paused: true, statusPage })).page?.id).toBe(page.id)
      }
      expect((yield* createService(id, { name: "API", url, paused: true, statusPage: "pg_dump jobs" })).page?.name).toBe(
        "pg_dump jobs"
      )
    }))

  it.scoped("is not made at all for a page id that names none, be it mistyped or another workspace's", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const theirs = yield* createPage((yield* newWorkspace).id, { name: "Theirs" })
      const answer = yield* Effect.either(createService(id, { name: "API", url, paused: true, statusPage: theirs.id }))
      expect(answer).toMatchObject({
        _tag: "Left",
        left: { _tag: "not_found", message: `No status page ${theirs.id} in this workspace` }
      })
      expect((yield* listPages(id)).data).toEqual([])
      expect(yield* Effect.flatMap(ManageMonitors, (manage) => manage.list(id, null, null))).toEqual([])
    }))

  it.scoped("with a long name gives its component as much of it as fits, in whole characters", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const name = `${"a".repeat(99)}🚀 in the sky`
      const { component } = yield* createService(id, { name, url, paused: true, statusPage: "Acme" })
      expect(component?.name).toBe("a".repeat(99))
    }))
})
