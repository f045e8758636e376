/** A service created in one call, on a real runner. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { ServiceInput } from "../../../schema/api/Agents.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { CreateService } from "../../../src/operations/monitor/CreateService.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ReadMonitors } from "../../../src/operations/monitor/ReadMonitors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"

const ground = Layer.merge(CreateService.Default, ManageChannels.Default).pipe(Layer.provideMerge(TestRunner))

const createService = (workspaceId: WorkspaceId, input: typeof ServiceInput.Type) =>
  Effect.flatMap(CreateService, (services) => services.create(workspaceId, input))

const createPage = (workspaceId: WorkspaceId, name: string) =>
  Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name }))

const everything = {
  state: null,
  kind: null,
  tag: null,
  region: null,
  search: null,
  sort: "created",
  trend: false,
  counts: false,
  tags: false
} as const

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

  it.scoped("alerts as many default channels as a monitor takes, those that are enabled first, and says so", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const sql = yield* SqlClient.SqlClient
      yield* sql`update workspaces set claimed_at = now() where id = ${id}`
      const channels = yield* ManageChannels
      const made = yield* Effect.forEach(
        Array.from({ length: 51 }, (_, index) => index),
        (index) => channels.create(id, { name: `Ops ${index}`, type: "webhook", url: `${url}${index}`, enabled: index > 0 })
      )
      const { monitor, warnings } = yield* createService(id, { name: "API", url, paused: true })
      expect(monitor.channelIds).toEqual(made.slice(1).map((channel) => channel.id))
      expect(warnings).toEqual([expect.stringContaining("More than 50 channels are default")])
      const shop = { name: "Shop", url: `${url}shop`, paused: true, channelIds: monitor.channelIds }
      expect(yield* createService(id, shop)).not.toHaveProperty("warnings")
    }))

  it.scoped("warns of a monitor of the same target, and names it", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const first = yield* createService(id, { name: "API", url, paused: true })
      const second = yield* createService(id, { name: "API again", url, paused: true })
      expect(first.warnings?.join()).not.toContain("already watches")
      expect(second.warnings?.join()).toContain(`API (${first.monitor.id}) already watches the same target or job`)
    }))

  it.scoped("is not created at all for an unknown page id, be it mistyped or another workspace's", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const theirs = yield* createPage((yield* newWorkspace).id, "Theirs")
      const mistyped = yield* Effect.either(createService(id, { name: "API", url, paused: true, statusPage: "pg_unknown" }))
      expect(mistyped).toMatchObject({ left: { _tag: "not_found", message: "No status page pg_unknown in this workspace" } })
      const answer = yield* Effect.either(createService(id, { name: "API", url, paused: true, statusPage: theirs.id }))
      expect(answer).toMatchObject({
        _tag: "Left",
        left: { _tag: "not_found", message: `No status page ${theirs.id} in this workspace` }
      })
      const viewer = { workspaceId: id, scopes: ["read"] as const, operations: null }
      expect(yield* Effect.flatMap(ManagePages, (pages) => pages.list(viewer))).toEqual({ data: [], next: null })
      expect(
        yield* Effect.flatMap(ReadMonitors, (reading) => reading.list(viewer, { ...everything, after: "", limit: 10 }))
      ).toEqual({ data: Buffer.from("[]"), next: null })
    }))

  it.scoped("with a long name gives its component as much of it as fits, in whole characters", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const name = `${"a".repeat(99)}🚀 in the sky`
      const { component } = yield* createService(id, { name, url, paused: true, statusPage: "Acme" })
      expect(component?.name).toBe("a".repeat(99))
    }))

  it.scoped("without a channel that could alert somebody says so, with the next step", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const alone = yield* createService(id, { name: "API", url: `${url}1`, paused: true })
      expect(alone.warnings).toEqual([expect.stringMatching(/^Nobody is alerted: .*POST \/api\/v1\/channels/)])
      const channels = yield* Effect.flatMap(ManageChannels, (manage) =>
        Effect.all([
          manage.create(id, { name: "Off", type: "webhook", url: "http://127.0.0.1:9/", enabled: false }),
          manage.create(id, { name: "On", type: "webhook", url: "http://127.0.0.1:9/", isDefault: false })
        ]))
      const silent = yield* createService(id, { name: "API", url: `${url}2`, paused: true })
      expect(silent.warnings).toEqual([expect.stringContaining("disabled")])
      const alerted = yield* createService(id, {
        name: "API",
        url: `${url}3`,
        paused: true,
        channelIds: channels.map((one) => one.id)
      })
      expect(alerted).not.toHaveProperty("warnings")
    }))

  it.scoped("without a page says that its component was not created", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const noPage = "No component was created: componentName and group need statusPage"
      const parts = [{ group: "Core" }, { componentName: "API" }, { group: "", statusPage: "" }, {
        group: "Core",
        statusPage: "Acme"
      }]
      const warned = yield* Effect.forEach(parts, (part, index) =>
        Effect.map(createService(id, { name: "API", url: `${url}${index}`, paused: true, ...part }), ({ warnings = [] }) =>
          warnings.includes(noPage)))
      expect(warned).toEqual([true, true, false, false])
    }))

  it.scoped("returns its component once, and no other of the page", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      yield* createService(id, { name: "First", url, paused: true, statusPage: "Acme" })
      const second = yield* createService(id, { name: "Second", url, paused: true, statusPage: "Acme" })
      expect(second.component?.name).toBe("Second")
      expect(second.page).not.toHaveProperty("components")
      expect(JSON.stringify(second).match(/"cmp_/g)?.length).toBe(1)
    }))

  it.scoped("is not created for a target that is private as it is written", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      for (const host of ["10.0.0.1", "0xa.0.0.1", "[fd00::1]", "[::ffff:192.168.0.1]", "169.254.169.254"]) {
        const answer = yield* Effect.either(createService(id, { name: "API", url: `http://${host}/` }))
        expect([host, answer]).toMatchObject([host, {
          _tag: "Left",
          left: {
            _tag: "validation_failed",
            message: expect.stringContaining("is a private address"),
            details: [{ path: "url" }]
          }
        }])
      }
      const created = yield* createService(id, { name: "API", url, paused: true })
      const edited = yield* Effect.either(
        Effect.flatMap(ManageMonitors, (manage) => manage.update(id, created.monitor.id, { url: "http://10.0.0.1/" }))
      )
      expect(edited).toMatchObject({ left: { message: expect.stringContaining("10.0.0.1 is a private address") } })
    }))
})
