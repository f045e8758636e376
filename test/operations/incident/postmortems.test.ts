/** Postmortems through the public interface: versions, conflicts, drafts without AI, and what may be published. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestProgram } from "../../support/program/Program.ts"
import { type Json, newPage } from "./Fixtures.ts"

const resolvedIncident = Effect.gen(function*() {
  const place = yield* newPage
  const { body } = yield* place.client.post("/incidents", {
    title: "Slow checkout",
    message: "We are looking.",
    components: [{ componentId: place.checkout.id, status: "degraded" }]
  })
  yield* place.client.post(`/incidents/${body.id}/resolve`, { message: "Fast again." })
  return { ...place, id: body.id as string, path: `/incidents/${body.id}/postmortem` }
})

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("a postmortem", (it) => {
  it.effect("gets a version with each save, and refuses one that is based on an older version", () =>
    Effect.gen(function*() {
      const { client, id, path } = yield* resolvedIncident
      expect((yield* client.get(path)).status).toBe(404)
      const early = yield* client.put(path, { markdown: "# x", baseVersion: 1 })
      expect([early.status, early.body.error.details]).toEqual([409, { currentVersion: null }])
      expect(early.body.error.hint).toBe("Save the first version without baseVersion")
      const first = yield* client.put(path, { markdown: "# One", publicSummary: "A deploy was slow." })
      expect(first.body).toMatchObject({ incidentId: id, version: 1, markdown: "# One", published: null, ai: false })
      const second = yield* client.put(path, { markdown: "# Two", baseVersion: 1 })
      expect(second.body).toMatchObject({ version: 2, publicSummary: "A deploy was slow." })
      const stale = yield* client.put(path, { markdown: "# Lost", baseVersion: 1 })
      expect([stale.status, stale.body.error.code, stale.body.error.details]).toEqual([409, "conflict", { currentVersion: 2 }])
      const plain = yield* client.get(path)
      expect(plain.body.versions.map((one: Json) => [one.version, one.by, one.markdown])).toEqual([
        [2, "test", undefined],
        [1, "test", undefined]
      ])
      const full = yield* client.get(`${path}?history=true`)
      expect(full.body.versions.map((one: Json) => one.markdown)).toEqual(["# Two", "# One"])
    }))

  it.effect("saved by several people at the same time on one base keeps one of them", () =>
    Effect.gen(function*() {
      const { client, path } = yield* resolvedIncident
      yield* client.put(path, { markdown: "# Base" })
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, (_, index) => client.put(path, { markdown: `# ${index}`, baseVersion: 1 })),
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
      expect((yield* client.get(path)).body.version).toBe(2)
    }))

  it.effect("without AI is unavailable, with a draft to complete; mode template returns the draft and saves nothing", () =>
    Effect.gen(function*() {
      const { client, id, path } = yield* resolvedIncident
      const refused = yield* client.post(path, {})
      expect([refused.status, refused.body.error.code]).toEqual([503, "unavailable"])
      const { template } = refused.body.error.details
      expect(template).toContain("# Postmortem: Slow checkout")
      expect(template).toContain("Affected: Checkout")
      const draft = yield* client.post(path, { mode: "template" })
      expect(draft.body).toMatchObject({ version: null, markdown: template, versions: [] })
      expect((yield* client.get(path)).status).toBe(404)
      const analysis = yield* client.post(`/incidents/${id}/analyze`)
      expect([analysis.status, analysis.body.error.code]).toEqual([503, "unavailable"])
    }))

  it.effect("is published as a public update of the resolved incident", () =>
    Effect.gen(function*() {
      const { client, events, id, page, path } = yield* resolvedIncident
      yield* client.put(path, { markdown: "# db-1.internal was full", publicSummary: "A disk was full. It has room now." })
      const published = yield* client.post(`${path}/publish`, {})
      expect(published.body.published).toMatchObject({ version: 1, at: expect.any(String) })
      const incident = (yield* client.get(`/incidents/${id}`)).body
      expect(incident).toMatchObject({ status: "resolved" })
      expect(incident.updates.at(-1)).toMatchObject({ public: true, body: "A disk was full. It has room now." })
      expect((yield* events("incident.updated")).at(-1).data.update.body).toBe("A disk was full. It has room now.")
      expect((yield* client.get(`/public/pages/${page.slug}`)).text).not.toContain("db-1.internal")
    }))

  it.effect("with a hostname, an address, error output or an avoided term is not published", () =>
    Effect.gen(function*() {
      const { client, id, path } = yield* resolvedIncident
      const listed = yield* client.post("/pages", { name: "Careful", settings: { aiAvoidTerms: ["outage"] } })
      yield* client.put(path, { markdown: "# x" })
      const missing = yield* client.post(`${path}/publish`, {})
      expect([missing.status, missing.body.error.message]).toEqual([422, "The postmortem has no public summary"])
      for (const body of ["db-1.prod.internal was full", "10.0.0.7 was down", "It said ECONNREFUSED", "HTTP 500 was returned"]) {
        const refused = yield* client.post(`${path}/publish`, { body })
        expect([body, refused.status, refused.body.error.message]).toEqual([body, 422, expect.stringContaining("body")])
      }
      expect((yield* client.get(`/incidents/${id}`)).body.updates).toHaveLength(2)
      const other = yield* client.post("/incidents", {
        title: "x",
        message: "x",
        status: "monitoring",
        pageIds: [listed.body.id]
      })
      const otherPath = `/incidents/${other.body.id}/postmortem`
      yield* client.put(otherPath, { markdown: "# x", publicSummary: "The outage is over." })
      expect((yield* client.post(`${otherPath}/publish`, {})).status).toBe(409)
      yield* client.post(`/incidents/${other.body.id}/resolve`, {})
      const avoided = yield* client.post(`${otherPath}/publish`, {})
      expect([avoided.status, avoided.body.error.message]).toEqual([422, expect.stringContaining("avoids")])
      expect((yield* client.post(`${otherPath}/publish`, { body: "It is over." })).status).toBe(200)
    }))

  it.effect("of an incident without a page is published with a warning, and of one that its pages do not show it is not", () =>
    Effect.gen(function*() {
      const { checkout, client, events, page } = yield* newPage
      const resolved = (input: object) =>
        Effect.gen(function*() {
          const { body } = yield* client.post("/incidents", { title: "Slow checkout", message: "We are looking.", ...input })
          yield* client.post(`/incidents/${body.id}/resolve`, {})
          yield* client.put(`/incidents/${body.id}/postmortem`, { markdown: "# x", publicSummary: "A disk was full." })
          return { id: body.id as string, published: yield* client.post(`/incidents/${body.id}/postmortem/publish`, {}) }
        })
      const { id, published } = yield* resolved({})
      expect([published.status, published.body]).toEqual([
        200,
        expect.objectContaining({
          published: { version: 1, at: expect.any(String) },
          warnings: [expect.stringContaining("No status page shows this incident")]
        })
      ])
      const incident = (yield* client.get(`/incidents/${id}`)).body
      expect(incident).toMatchObject({ status: "resolved", public: false, pageIds: [] })
      expect(incident.updates.at(-1)).toMatchObject({ public: true, status: "resolved", body: "A disk was full." })
      expect((yield* events("incident.updated")).map(({ data }) => data.update.body)).toEqual(["A disk was full."])
      expect((yield* client.get(`/incidents/${id}/postmortem`)).body).not.toHaveProperty("warnings")
      const shown = yield* resolved({ pageIds: [page.id] })
      expect([shown.published.status, shown.published.body.warnings]).toEqual([200, undefined])
      const components = [{ componentId: checkout.id, status: "degraded" }]
      for (const place of [{ pageIds: [page.id] }, { components }]) {
        const kept = yield* resolved({ ...place, public: false })
        expect([kept.published.status, kept.published.body.error.message]).toEqual([409, "The incident is internal"])
        expect((yield* client.get(`/public/pages/${page.slug}/incidents/${kept.id}`)).status).toBe(404)
      }
    }))
})
