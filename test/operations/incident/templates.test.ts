/** Incident templates through the public interface. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { type Json, newPage } from "./Fixtures.ts"

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("an incident template", (it) => {
  it.effect("is created, changed, listed in order and deleted", () =>
    Effect.gen(function*() {
      const { checkout, client } = yield* newPage
      const make = (name: string, order: number) => client.post("/incident-templates", { name, title: name, body: name, order })
      const late = (yield* make("Late", 2)).body
      const early = (yield* make("Early", 1)).body
      expect(late).toMatchObject({ kind: "incident", componentStatus: "partial_outage", componentIds: [] })
      const changed = yield* client.patch(`/incident-templates/${late.id}`, { order: 0, componentIds: [checkout.id] })
      expect(changed.body).toMatchObject({ id: late.id, name: "Late", order: 0, componentIds: [checkout.id] })
      const names = Effect.map(client.get("/incident-templates"), ({ body }) => body.data.map((one: Json) => one.name))
      expect(yield* names).toEqual(["Late", "Early"])
      expect((yield* client.delete(`/incident-templates/${early.id}`)).body).toEqual({ id: early.id, deleted: true })
      expect((yield* client.delete(`/incident-templates/${early.id}`)).status).toBe(404)
      expect(yield* names).toEqual(["Late"])
      const foreign = (yield* newPage).checkout.id
      const refused = yield* client.post("/incident-templates", { name: "x", title: "x", body: "x", componentIds: [foreign] })
      expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining("componentIds.0")])
    }))

  it.effect("forgets components that are deleted, also with their page", () =>
    Effect.gen(function*() {
      const { checkout, client, page, search } = yield* newPage
      const componentIds = [search.id, checkout.id]
      const { body: made } = yield* client.post("/incident-templates", { name: "x", title: "x", body: "x", componentIds })
      const left = Effect.map(client.get("/incident-templates"), ({ body }) => body.data[0].componentIds)
      yield* client.delete(`/components/${search.id}`)
      expect(yield* left).toEqual([checkout.id])
      const again = yield* client.patch(`/incident-templates/${made.id}`, { componentIds: yield* left })
      expect(again.status).toBe(200)
      yield* client.delete(`/pages/${page.id}`)
      expect(yield* left).toEqual([])
    }))

  it.effect("is one of at most 200, however many are created at the same time", () =>
    Effect.gen(function*() {
      const { client, workspaceId } = yield* newPage
      const sql = yield* SqlClient.SqlClient
      const make = client.post("/incident-templates", { name: "x", title: "x", body: "x" })
      yield* make
      yield* sql`
        insert into incident_templates
        select 'tpl_copy_' || number, workspace_id, name, kind, title, body, status, impact, component_ids, component_status,
          position, created_at, updated_at
        from incident_templates cross join generate_series(1, 197) as number where workspace_id = ${workspaceId}`
      const answers = yield* Effect.all([make, make, make, make], { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
      expect(answers.find(({ status }) => status === 422)?.body.error.message).toContain("200 incident templates")
    }))

  it.effect("is rendered for an incident, for given components or for its own, ready to post", () =>
    Effect.gen(function*() {
      const { checkout, client, page, search } = yield* newPage
      const { body: template } = yield* client.post("/incident-templates", {
        name: "Slow",
        title: "{{component}} is slow",
        body: "{{component}} on {{status_page}} has been slow for {{duration}}.",
        componentIds: [checkout.id],
        componentStatus: "degraded"
      })
      const render = (input: object) =>
        Effect.map(client.post(`/incident-templates/${template.id}/render`, input), ({ body }) => body)
      const own = yield* render({})
      expect(own).toEqual({
        title: "Checkout is slow",
        message: `Checkout on ${page.name} has been slow for {{duration}}.`,
        status: "investigating",
        impact: "minor",
        components: [{ componentId: checkout.id, status: "degraded" }]
      })
      const opened = yield* client.post("/incidents", own)
      expect(opened.status).toBe(201)
      expect((yield* render({ componentIds: [search.id] })).title).toBe("Search is slow")
      const about = yield* render({ incidentId: opened.body.id })
      expect(about.message).toMatch(/has been slow for \d+ seconds?\.$/)
      expect((yield* client.post(`/incidents/${opened.body.id}/updates/preview`, about)).body.pages[0].title)
        .toContain("Checkout is slow")
      const posted = yield* client.post(`/incidents/${opened.body.id}/updates`, about)
      expect([posted.status, posted.body.updates.length]).toEqual([200, 2])
      const severe = yield* client.post("/incidents", { ...own, impact: "maintenance" })
      expect([severe.status, severe.body.impact]).toEqual([201, "none"])
    }))

  it.effect("of maintenance is rendered ready to schedule a window, and for its updates", () =>
    Effect.gen(function*() {
      const { checkout, client, page } = yield* newPage
      const { body: template } = yield* client.post("/incident-templates", {
        name: "Upgrade",
        title: "Upgrade of {{component}}",
        body: "{{title}} for {{duration}}.",
        status: "scheduled",
        componentIds: [checkout.id]
      })
      const { body: rendered } = yield* client.post(`/incident-templates/${template.id}/render`, {})
      expect(rendered).toEqual({
        title: "Upgrade of Checkout",
        message: "Upgrade of Checkout for {{duration}}.",
        status: "scheduled",
        impact: "maintenance",
        components: [{ componentId: checkout.id, status: "maintenance" }]
      })
      const window = { scheduledStart: "2099-01-01T00:00:00Z", scheduledEnd: "2099-01-01T01:00:00Z" }
      const planned = yield* client.post("/maintenance", { ...rendered, ...window })
      expect([planned.status, planned.body]).toEqual([
        201,
        expect.objectContaining({
          kind: "maintenance",
          status: "scheduled",
          impact: "none",
          pageIds: [page.id],
          components: [{ componentId: checkout.id, status: "maintenance" }]
        })
      ])
      const begun = yield* client.post("/maintenance", { ...rendered, ...window, status: "in_progress" })
      expect([begun.status, begun.body.error.message]).toEqual([422, expect.stringContaining("in_progress from scheduledStart")])
      const unknown = [...rendered.components, { componentId: makeId("cmp", 1, Buffer.alloc(10)), status: "maintenance" }]
      const refused = yield* client.post("/maintenance", { ...rendered, ...window, components: unknown })
      expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining("components.1.componentId")])
      const { body: about } = yield* client.post(`/incident-templates/${template.id}/render`, { incidentId: planned.body.id })
      expect((yield* client.post(`/incidents/${planned.body.id}/updates`, about)).status).toBe(200)
    }))
})
